#include "data/packed/record.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "data/images/encode.h"
#include "data/images/resize.h"
#include "data/images/transforms.h"
#include "data/packed/access_table.h"

namespace scalemark::data::packed {
namespace {

ImageSize size_or_none(std::span<const std::uint8_t> file) {
  try {
    return open_image(file, "")->size();
  } catch (const Error&) {
    return {};
  }
}

std::string fault_of(std::span<const std::uint8_t> file, const std::string& name) {
  try {
    open_image(file, name)->decode_whole();
    return "";
  } catch (const Error& error) {
    return error.record().what;
  }
}

Record indexed_or_as_it_is(std::vector<std::uint8_t> file, ImageSize size) {
  if (const auto made = with_access_points(file)) {
    return {.bytes = with_access_table(*made), .size = size, .encoding = Encoding::kIndexed};
  }
  return {.bytes = std::move(file), .size = size};
}

Pixels reduced(const Pixels& whole, ImageSize size) {
  Pixels result(size.width, size.height);
  resize(whole,
         {.box = {.width = static_cast<double>(whole.width),
                  .height = static_cast<double>(whole.height)},
          .full = size,
          .window = {.width = size.width, .height = size.height}},
         result.row(0));
  return result;
}

bool same(ImageSize a, ImageSize b) { return a.width == b.width && a.height == b.height; }

Record reduced_jpeg(std::vector<std::uint8_t> file, const std::string& name) {
  const Pixels whole = open_image(file, name)->decode_whole();
  const ImageSize before{whole.width, whole.height};
  const ImageSize after = reduced_size(before);
  if (same(before, after)) return indexed_or_as_it_is(std::move(file), before);
  return indexed_or_as_it_is(encode_jpeg(reduced(whole, after), kQuality), after);
}

Record raw(const std::vector<std::uint8_t>& file, const std::string& name) {
  Pixels pixels = open_image(file, name)->decode_whole();
  const ImageSize after = reduced_size({pixels.width, pixels.height});
  if (!same({pixels.width, pixels.height}, after)) pixels = reduced(pixels, after);
  const std::uint8_t* first = pixels.row(0);
  return {.bytes = {first, first + pixels.stride() * static_cast<std::size_t>(pixels.height)},
          .size = after,
          .encoding = Encoding::kRaw};
}

Record of_form(Form form, std::vector<std::uint8_t> file, const std::string& name) {
  switch (form) {
    case Form::kJpeg: {
      const ImageSize size = size_or_none(file);
      Record record = indexed_or_as_it_is(std::move(file), size);
      // What has access points has been decoded for them.
      if (record.encoding == Encoding::kFile) record.fault = fault_of(record.bytes, name);
      return record;
    }
    case Form::kJpeg256:
      return reduced_jpeg(std::move(file), name);
    case Form::kRaw256:
      return raw(file, name);
  }
  throw bug("unknown form of packed data");
}

}  // namespace

ImageSize reduced_size(ImageSize size) {
  if (std::min(size.width, size.height) <= kShorterSide) return size;
  return resized_by_shorter_side(size, kShorterSide);
}

Record make_record(Form form, std::vector<std::uint8_t> file, const std::string& name) {
  Record record = of_form(form, std::move(file), name);
  record.checksum = digest_of(std::as_bytes(std::span(record.bytes)));
  return record;
}

}  // namespace scalemark::data::packed
