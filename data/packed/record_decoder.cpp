// Decoders over the bytes of a record: pixels in place, and JPEG files with access points.
#include <string>
#include <utility>

#include "core/base/error.h"
#include "data/images/codecs.h"
#include "data/packed/access_table.h"
#include "data/packed/record.h"

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

// Holds the points that its decoder looks at.
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
