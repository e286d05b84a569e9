#include "data/images/codecs.h"

#include <png.h>
#include <webp/decode.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace scalemark::data {

std::vector<std::uint8_t> encode_png(const Pixels& pixels) {
  png_image image{.version = PNG_IMAGE_VERSION,
                  .width = static_cast<png_uint_32>(pixels.width),
                  .height = static_cast<png_uint_32>(pixels.height),
                  .format = PNG_FORMAT_RGB};
  std::vector<std::uint8_t> bytes(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t written = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &written, 0, pixels.row(0), 0, nullptr) ==
      0) {
    throw bug(std::string("PNG encoder: ") + image.message);
  }
  bytes.resize(written);
  return bytes;
}

namespace {

class PngDecoder : public ImageDecoder {
 public:
  PngDecoder(std::span<const std::uint8_t> bytes, std::string name)
      : rest_(bytes), name_(std::move(name)) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    try {
      guarded([this] {
        png_set_read_fn(png_, this, read);
        leave_out_texts();
        png_read_info(png_, info_);
      });
      refuse_odd_size(name_, png_get_image_width(png_, info_), png_get_image_height(png_, info_));
    } catch (...) {
      png_destroy_read_struct(&png_, &info_, nullptr);
      throw;
    }
  }
  ~PngDecoder() override { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  ImageSize size() const override {
    return {static_cast<int>(png_get_image_width(png_, info_)),
            static_cast<int>(png_get_image_height(png_, info_))};
  }

  DecodedRegion decode(const Box&, int) override {
    const auto [width, height] = size();
    DecodedRegion region{.pixels = Pixels(width, height)};
    const bool deep_grey = png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY &&
                           png_get_bit_depth(png_, info_) == 16;
    if (deep_grey) {
      read_deep_grey(region.pixels);
    } else {
      set_transforms();
      read_rows(region.pixels.row(0), region.pixels.stride());
    }
    return region;
  }

 private:
  // A libpng error inside `step` jumps back here, like in the JPEG decoder.
  template <class Step>
  void guarded(const Step& step) {
    if (setjmp(jump_) != 0) throw bad_sample(name_, message_);
    step();
  }

  // Skips chunks that do not affect pixels, of which libpng would unpack and keep up to 1,000 of 8
  // MB each. The smaller limit is for other chunks that a later libpng may keep.
  void leave_out_texts() {
    static constexpr png_byte kChunks[] = "tEXt\0zTXt\0iTXt\0iCCP\0sPLT\0eXIf\0hIST\0pCAL";
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, kChunks, sizeof kChunks / 5);
    png_set_chunk_cache_max(png_, kMostChunks);
  }

  // Sets the output to 8-bit RGB; alpha and transparency are dropped, not blended, and 16-bit
  // values lose their low byte.
  void set_transforms() {
    guarded([this] {
      const auto colour = png_get_color_type(png_, info_);
      png_set_strip_16(png_);
      if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
      if ((colour & PNG_COLOR_MASK_COLOR) == 0) {
        png_set_expand_gray_1_2_4_to_8(png_);
        png_set_gray_to_rgb(png_);
      }
      png_set_strip_alpha(png_);
    });
  }

  void read_rows(std::uint8_t* first, std::size_t stride) {
    std::vector<png_bytep> rows(png_get_image_height(png_, info_));
    for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = first + y * stride;
    guarded([&] {
      png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
      if (png_get_rowbytes(png_, info_) != stride) png_error(png_, "unexpected length of a row");
      png_read_image(png_, rows.data());
      png_read_end(png_, nullptr);
    });
  }

  // Pillow clips 16-bit grey (mode I;16) to 255 instead of dropping the low byte.
  void read_deep_grey(Pixels& pixels) {
    const auto n = static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
    std::vector<std::uint8_t> grey(2 * n);
    read_rows(grey.data(), 2 * static_cast<std::size_t>(pixels.width));
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint8_t value = grey[2 * i] != 0 ? 255 : grey[2 * i + 1];
      std::fill_n(pixels.row(0) + 3 * i, 3, value);
    }
  }

  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngDecoder*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof self->message_ - 1);
    std::longjmp(self->jump_, 1);
  }
  static void ignore_warning(png_structp, png_const_charp) {}

  static void read(png_structp png, png_bytep target, std::size_t bytes) {
    auto* self = static_cast<PngDecoder*>(png_get_io_ptr(png));
    if (bytes > self->rest_.size()) png_error(png, "the image is cut short");
    std::memcpy(target, self->rest_.data(), bytes);
    self->rest_ = self->rest_.subspan(bytes);
  }

  static constexpr png_uint_32 kMostChunks = 100;

  std::span<const std::uint8_t> rest_;
  std::string name_;
  std::jmp_buf jump_;
  char message_[256] = {};
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

std::unique_ptr<ImageDecoder> open_png(std::span<const std::uint8_t> bytes, std::string name) {
  return std::make_unique<PngDecoder>(bytes, std::move(name));
}

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

// Always decodes the whole image, since the edges of a crop would be interpolated differently.
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
