// Decoders over the bytes of a record: pixels in place, and JPEG files of which only the rows of
// blocks are decoded that a crop needs.
#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "data/images/codecs.h"
#include "data/images/jpeg_rows.h"
#include "data/packed/record.h"
#include "data/packed/row_table.h"

namespace scalemark::data::packed {
namespace {

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

class RowsDecoder : public ImageDecoder {
 public:
  RowsDecoder(TableAndFile parts, ImageSize size, std::string name)
      : parts_(std::move(parts)), size_(size), name_(std::move(name)) {}
  ImageSize size() const override { return size_; }
  DecodedRegion decode(const Box& box, int eighths) override {
    const Part part = part_for(box, eighths);
    DecodedRegion region = part.image->decode(part.box, eighths);
    region.top += part.top * eighths / 8;  // a whole number: rows are multiples of 8 pixels
    return region;
  }

  // Of the file as it is: planes are told by their place in the whole.
  bool decode_planes(const Box& box, int eighths, PlanarRegion& region, PlaneWork work) override {
    return open_image(parts_.file, name_)->decode_planes(box, eighths, region, work);
  }

 private:
  // The rows that hold a box, as an image of their own.
  struct Part {
    std::unique_ptr<ImageDecoder> image;
    Box box;      // in that image
    int top = 0;  // of that image in the whole; above it where there is a row in front
  };
  Part part_for(const Box& box, int eighths);  // once

  TableAndFile parts_;
  ImageSize size_;
  std::string name_;
  std::vector<std::uint8_t> part_;  // what the image of a Part reads
};

// Chroma of a pixel is interpolated from the row above or below: at an inner edge of what is cut
// out these are missing, so that up to this many rows of pixels there are not those of the whole.
constexpr int kMargin = 2;

RowsDecoder::Part RowsDecoder::part_for(const Box& box, int eighths) {
  const int row_pixels = static_cast<int>(parts_.rows.counts.pixels);
  const int margin = kMargin * 8 / eighths;
  const int rows = static_cast<int>(parts_.rows.counts.rows);
  const int first = std::max(0, box.top - margin) / row_pixels;
  const int end = std::min(rows, (box.top + box.height + margin + row_pixels - 1) / row_pixels);
  const int height = std::min(size_.height, end * row_pixels) - first * row_pixels;
  const int in_front = first > 0 ? row_pixels : 0;
  const int top = first * row_pixels - in_front;
  part_ = cut_rows(parts_.file, parts_.rows, static_cast<std::size_t>(first),
                   static_cast<std::size_t>(end), height);
  auto image = open_image(part_, name_);
  if (image->size().width != size_.width || image->size().height != height + in_front) {
    throw bad_sample(name_, "its header does not match the index");
  }
  return {.image = std::move(image),
          .box = {.left = box.left, .top = box.top - top, .width = box.width, .height = box.height},
          .top = top};
}

TableAndFile table_of(std::span<const std::uint8_t> bytes, ImageSize size,
                      const std::string& name) {
  try {
    TableAndFile parts = split_row_table(bytes);
    const auto pixels = static_cast<std::int64_t>(parts.rows.counts.pixels);
    const auto rows = static_cast<std::int64_t>(parts.rows.counts.rows);
    if (pixels % 8 != 0 || (size.height + pixels - 1) / pixels != rows) {
      throw bad_data("its table of rows does not match its size");
    }
    return parts;
  } catch (const Error& error) {
    throw bad_sample(name, error.record().what);
  }
}

}  // namespace

std::unique_ptr<ImageDecoder> open_raw(const std::uint8_t* pixels, ImageSize size) {
  return std::make_unique<RawDecoder>(pixels, size);
}

std::unique_ptr<ImageDecoder> open_record(Encoding encoding, std::span<const std::uint8_t> bytes,
                                          ImageSize size, const std::string& name) {
  switch (encoding) {
    case Encoding::kFile:
      return open_image(bytes, name);
    case Encoding::kRows:
      return std::make_unique<RowsDecoder>(table_of(bytes, size, name), size, name);
    case Encoding::kRaw:
      return open_raw(bytes.data(), size);
  }
  throw bad_sample(name, "an unknown encoding");
}

}  // namespace scalemark::data::packed
