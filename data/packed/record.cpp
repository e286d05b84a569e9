#include "data/packed/record.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "data/images/codecs.h"
#include "data/images/image_view.h"
#include "data/images/resize.h"

namespace scalemark::data::packed {
namespace {

// docs/DATA.md describes this format.
struct TableHeader {
  std::uint32_t points = 0;
  std::uint32_t spacing = 0;
};
using jpeg::AccessPoint;
static_assert(std::is_trivially_copyable_v<AccessPoint> && sizeof(AccessPoint) == 12);

}  // namespace

std::vector<std::uint8_t> with_access_table(const IndexedJpeg& jpeg) {
  const auto& [spacing, points] = jpeg.points;
  const TableHeader header{.points = static_cast<std::uint32_t>(points.size()), .spacing = spacing};
  const std::size_t point_bytes = points.size() * sizeof(AccessPoint);
  std::vector<std::uint8_t> record(sizeof header + point_bytes + jpeg.bytes.size());
  std::memcpy(record.data(), &header, sizeof header);
  std::memcpy(record.data() + sizeof header, points.data(), point_bytes);
  std::copy(jpeg.bytes.begin(), jpeg.bytes.end(),
            record.begin() + static_cast<std::ptrdiff_t>(sizeof header + point_bytes));
  return record;
}

TableAndFile split_access_table(std::span<const std::uint8_t> record) {
  TableHeader header;
  const auto damaged = [] { return bad_data("its table of access points is damaged"); };
  if (record.size() < sizeof header) throw damaged();
  std::memcpy(&header, record.data(), sizeof header);
  record = record.subspan(sizeof header);
  if (header.points == 0 || header.points > record.size() / sizeof(AccessPoint)) throw damaged();
  TableAndFile result;
  result.points.spacing = header.spacing;
  result.points.points.resize(header.points);
  const std::size_t point_bytes = header.points * sizeof(AccessPoint);
  std::memcpy(result.points.points.data(), record.data(), point_bytes);
  result.file = record.subspan(point_bytes);
  return result;
}

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
      // A record with access points was decoded to find them, so its file has no fault.
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

namespace {

// --- Decoders over the bytes of a record: of pixels in place, and of JPEG files with access
// points.

class RawDecoder : public ImageDecoder {
 public:
  RawDecoder(const std::uint8_t* pixels, ImageSize size) : pixels_(pixels), size_(size) {}
  ImageSize size() const override { return size_; }
  DecodedRegion decode(const Box&, int) override {
    return {.pixels = Pixels::of_others(pixels_, size_.width, size_.height)};
  }

 private:
  const std::uint8_t* pixels_;
  ImageSize size_;
};

// Holds the points that its decoder uses.
class IndexedDecoder : public ImageDecoder {
 public:
  IndexedDecoder(TableAndFile parts, ImageSize size, const std::string& name, DecoderMemory* memory)
      : points_(std::move(parts.points)),
        image_(open_indexed_jpeg(parts.file, name, points_, memory)) {
    const auto [width, height] = image_->size();
    if (width != size.width || height != size.height) {
      throw bad_sample(name, "its header does not match the index");
    }
  }
  ImageSize size() const override { return image_->size(); }
  DecodedRegion decode(const Box& box, int eighths) override {
    return image_->decode(box, eighths);
  }
  bool decode_planes(const Box& box, int eighths, PlanarRegion& region, PlaneWork work) override {
    return image_->decode_planes(box, eighths, region, work);
  }

 private:
  const jpeg::AccessPoints points_;
  const std::unique_ptr<ImageDecoder> image_;
};

TableAndFile table_of(std::span<const std::uint8_t> bytes, const std::string& name) {
  try {
    return split_access_table(bytes);
  } catch (const Error& error) {
    throw bad_sample(name, error.record().what);
  }
}

}  // namespace

std::unique_ptr<ImageDecoder> open_raw(const std::uint8_t* pixels, ImageSize size) {
  return std::make_unique<RawDecoder>(pixels, size);
}

std::unique_ptr<ImageDecoder> open_record(Encoding encoding, std::span<const std::uint8_t> bytes,
                                          ImageSize size, const std::string& name,
                                          DecoderMemory* memory) {
  switch (encoding) {
    case Encoding::kFile:
      return open_image(bytes, name, memory);
    case Encoding::kIndexed:
      return std::make_unique<IndexedDecoder>(table_of(bytes, name), size, name, memory);
    case Encoding::kRaw:
      return open_raw(bytes.data(), size);
  }
  throw bad_sample(name, "an unknown encoding");
}

}  // namespace scalemark::data::packed
