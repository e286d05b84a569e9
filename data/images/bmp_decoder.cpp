// Uncompressed BMP files of 1, 4, 8, 16, 24 and 32 bits, as Pillow reads them: alpha is dropped.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "data/images/codecs.h"

namespace scalemark::data {
namespace {

class BmpDecoder : public ImageDecoder {
 public:
  BmpDecoder(std::span<const std::uint8_t> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {
    const std::uint32_t header = word(kFileHeader);
    constexpr auto kHeaders = std::to_array<std::uint32_t>({12, 40, 52, 56, 64, 108, 124});
    if (std::ranges::find(kHeaders, header) == kHeaders.end()) {
      throw bad_sample(name_, "a BMP header of " + std::to_string(header) + " bytes");
    }
    std::uint32_t compression = kPlain, colours = 0;
    if (header == 12) {
      width_ = half_word(18);
      height_ = half_word(20);
      bits_ = half_word(24);
    } else {
      width_ = word(18);
      top_down_ = word(22) >> 24 == 0xff;
      height_ = top_down_ ? 0x1'0000'0000 - std::int64_t{word(22)} : std::int64_t{word(22)};
      bits_ = half_word(28);
      compression = word(30);
      colours = word(46);
    }
    refuse_odd_size(name_, width_, height_);
    choose_pixels(compression);
    first_ = word(10);
    if (bits_ <= 8) read_palette(header, colours);
    if (first_ == 0)
      first_ = kFileHeader + header + (compression == kMasks && header == 40 ? 12 : 0);
    refuse_if_cut_short();
  }

  ImageSize size() const override { return {static_cast<int>(width_), static_cast<int>(height_)}; }

  DecodedRegion decode(const Box&, int) override {
    DecodedRegion region{.pixels = Pixels(static_cast<int>(width_), static_cast<int>(height_))};
    Pixels& pixels = region.pixels;
    for (int y = 0; y < pixels.height; ++y) {
      const int stored = top_down_ ? y : pixels.height - 1 - y;
      read_row(bytes_.data() + first_ + static_cast<std::size_t>(stored) * stride(), pixels.row(y));
    }
    return region;
  }

 private:
  using Colour = std::array<std::uint8_t, 3>;
  static constexpr std::size_t kFileHeader = 14;
  static constexpr std::uint32_t kPlain = 0, kMasks = 3;

  std::uint32_t half_word(std::size_t at) const {
    if (at + 2 > bytes_.size()) throw bad_sample(name_, "the image is cut short");
    return bytes_[at] | static_cast<std::uint32_t>(bytes_[at + 1]) << 8;
  }
  std::uint32_t word(std::size_t at) const { return half_word(at) | half_word(at + 2) << 16; }

  std::size_t stride() const { return (static_cast<std::size_t>(width_) * bits_ + 31) / 32 * 4; }

  // The last row needs no padding.
  void refuse_if_cut_short() const {
    const std::size_t row = (static_cast<std::size_t>(width_) * bits_ + 7) / 8;
    const std::size_t end = first_ + static_cast<std::size_t>(height_ - 1) * stride() + row;
    if (end > bytes_.size()) throw bad_sample(name_, "the image is cut short");
  }

  void choose_pixels(std::uint32_t compression) {
    constexpr auto kBits = std::to_array<std::uint32_t>({1, 4, 8, 16, 24, 32});
    if (std::ranges::find(kBits, bits_) == kBits.end()) {
      throw bad_sample(name_, "BMP of " + std::to_string(bits_) + " bits a pixel");
    }
    masks_ = bits_ == 16 ? Masks{0x7c00, 0x3e0, 0x1f} : Masks{0xff0000, 0xff00, 0xff};
    if (compression == kMasks && bits_ > 8) {
      const Masks given{word(54), word(58), word(62)};  // in the header, or behind 40 bytes of it
      if (given != Masks{}) masks_ = given;
    } else if (compression != kPlain) {
      throw bad_sample(name_, "BMP with compression " + std::to_string(compression) +
                                  " (1 and 2: run lengths), which is not read");
    }
    const bool odd = std::ranges::any_of(masks_, [](std::uint32_t mask) {
      if (mask == 0 || std::popcount(mask) > 8) return true;
      return !std::has_single_bit((mask >> std::countr_zero(mask)) + 1);
    });
    if (odd && bits_ > 8) throw bad_sample(name_, "BMP with masks that are not read");
  }

  // An entry has 3 or 4 bytes: blue, green, red. Entries that are not there are black.
  void read_palette(std::uint32_t header, std::uint32_t colours) {
    const std::size_t entry = header == 12 ? 3 : 4;
    const std::size_t begin = kFileHeader + header;
    const std::size_t count = colours == 0 ? std::size_t{1} << bits_ : colours;
    if (first_ == 0 || first_ == begin) first_ = begin + entry * count;
    for (std::size_t i = 0; i < std::min(count, palette_.size()); ++i) {
      const std::size_t at = begin + entry * i;
      palette_[i] = {static_cast<std::uint8_t>(half_word(at + 1) >> 8),
                     static_cast<std::uint8_t>(half_word(at) >> 8),
                     static_cast<std::uint8_t>(half_word(at) & 0xff)};
    }
  }

  Colour masked(std::uint32_t pixel) const {
    Colour colour{};
    for (std::size_t c = 0; c < 3; ++c) {
      const int shift = std::countr_zero(masks_[c]);
      colour[c] =
          static_cast<std::uint8_t>(((pixel & masks_[c]) >> shift) * 255 / (masks_[c] >> shift));
    }
    return colour;
  }

  void read_row(const std::uint8_t* row, std::uint8_t* to) const {
    for (std::size_t x = 0; x < static_cast<std::size_t>(width_); ++x) {
      const std::size_t bit = x * bits_;
      std::uint32_t pixel = 0;
      for (std::size_t b = 0; b < bits_ / 8; ++b) {
        pixel |= std::uint32_t{row[bit / 8 + b]} << 8 * b;
      }
      if (bits_ < 8) pixel = row[bit / 8] >> (8 - bits_ - bit % 8) & ((1U << bits_) - 1);
      std::ranges::copy(bits_ <= 8 ? palette_[pixel] : masked(pixel), to + 3 * x);
    }
  }

  using Masks = std::array<std::uint32_t, 3>;  // red, green, blue

  std::span<const std::uint8_t> bytes_;
  std::string name_;
  std::int64_t width_ = 0, height_ = 0;
  std::uint32_t bits_ = 0;
  bool top_down_ = false;
  std::size_t first_ = 0;  // byte of the stored first row
  Masks masks_{};
  std::array<Colour, 256> palette_{};
};

}  // namespace

std::unique_ptr<ImageDecoder> open_bmp(std::span<const std::uint8_t> bytes, std::string name) {
  return std::make_unique<BmpDecoder>(bytes, std::move(name));
}

}  // namespace scalemark::data
