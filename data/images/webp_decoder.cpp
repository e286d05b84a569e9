#include <webp/decode.h>

#include <utility>

#include "data/images/codecs.h"

namespace scalemark::data {
namespace {

std::string reason_of(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return "there is no memory for it";
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return "the image is cut short";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "WebP of a kind that is not read";
    default:
      return "damaged WebP data";
  }
}

// Decodes the whole image whatever is asked for: a crop's edges would be interpolated differently.
class WebpDecoder : public ImageDecoder {
 public:
  WebpDecoder(std::span<const std::uint8_t> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {
    WebPBitstreamFeatures features;
    require(WebPGetFeatures(bytes_.data(), bytes_.size(), &features));
    if (features.has_animation != 0) throw bad_sample(name_, "an animation, which is not read");
    refuse_odd_size(name_, features.width, features.height);
    size_ = {features.width, features.height};
  }

  ImageSize size() const override { return size_; }

  // Alpha is dropped, not blended.
  DecodedRegion decode(const Box&, int) override {
    DecodedRegion region{.pixels = Pixels(size_.width, size_.height)};
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0) throw bad_sample(name_, "another version of libwebp");
    config.output.colorspace = MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = {
        .rgba = region.pixels.row(0),
        .stride = static_cast<int>(region.pixels.stride()),
        .size = region.pixels.stride() * static_cast<std::size_t>(size_.height)};
    require(WebPDecode(bytes_.data(), bytes_.size(), &config));
    return region;
  }

 private:
  void require(VP8StatusCode status) const {
    if (status != VP8_STATUS_OK) throw bad_sample(name_, reason_of(status));
  }

  std::span<const std::uint8_t> bytes_;
  std::string name_;
  ImageSize size_;
};

}  // namespace

std::unique_ptr<ImageDecoder> open_webp(std::span<const std::uint8_t> bytes, std::string name) {
  return std::make_unique<WebpDecoder>(bytes, std::move(name));
}

}  // namespace scalemark::data
