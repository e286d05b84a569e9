// Decoders of the formats that need no library, BMP and the PBM family. They return what Pillow
// returns.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "data/images/codecs.h"

namespace scalemark::data {
namespace {

// Decodes uncompressed BMP files of 1, 4, 8, 16, 24 and 32 bits like Pillow: alpha is dropped.

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
      // The masks are part of a longer header, or follow a header of 40 bytes.
      const Masks given{word(54), word(58), word(62)};
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

  // An entry has 3 or 4 bytes: blue, green, red. Missing entries are black.
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
  std::size_t first_ = 0;  // byte of the first stored row
  Masks masks_{};
  std::array<Colour, 256> palette_{};
};

}  // namespace

std::unique_ptr<ImageDecoder> open_bmp(std::span<const std::uint8_t> bytes, std::string name) {
  return std::make_unique<BmpDecoder>(bytes, std::move(name));
}

namespace {

// Decodes PBM, PGM and PPM files, plain and raw (P1 to P6). Values are scaled like Pillow's.

bool is_blank_byte(std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class NetpbmDecoder : public ImageDecoder {
 public:
  NetpbmDecoder(std::span<const std::uint8_t> bytes, std::string name)
      : kind_(bytes[1] - '0'), rest_(bytes.subspan(3)), name_(std::move(name)) {
    width_ = number();
    height_ = number();
    refuse_odd_size(name_, width_, height_);
    largest_ = is_bitmap() ? 1 : number();
    if (largest_ < 1 || largest_ > 65'535) {
      throw bad_sample(name_, "a largest value of " + std::to_string(largest_) + " (1 to 65535)");
    }
    refuse_if_cut_short();
  }

  ImageSize size() const override { return {static_cast<int>(width_), static_cast<int>(height_)}; }

  DecodedRegion decode(const Box&, int) override {
    DecodedRegion region{.pixels = Pixels(static_cast<int>(width_), static_cast<int>(height_))};
    if (is_bitmap()) {
      read_bits(region.pixels);
    } else {
      read_values(region.pixels.row(0));
    }
    return region;
  }

 private:
  bool is_plain() const { return kind_ <= 3; }
  bool is_bitmap() const { return kind_ % 3 == 1; }
  bool is_grey() const { return kind_ % 3 == 2; }
  std::size_t samples() const {
    return static_cast<std::size_t>(width_ * height_) * (kind_ % 3 == 0 ? 3 : 1);
  }

  // This comes before memory is allocated for pixels: each plain sample has at least one byte.
  void refuse_if_cut_short() const {
    const auto rows = static_cast<std::size_t>(height_);
    const std::size_t least = kind_ == 4 ? static_cast<std::size_t>(width_ + 7) / 8 * rows
                                         : samples() * (is_plain() || largest_ < 256 ? 1 : 2);
    if (rest_.size() < least) throw cut_short();
  }
  Error cut_short() const { return bad_sample(name_, "the image is cut short"); }

  // Returns the next byte outside of comments; a comment extends to the end of its line.
  std::uint8_t next() {
    while (!rest_.empty()) {
      const std::uint8_t c = rest_[0];
      rest_ = rest_.subspan(1);
      if (c != '#') return c;
      const auto end = std::ranges::find_if(rest_, [](auto b) { return b == '\n' || b == '\r'; });
      const auto comment = static_cast<std::size_t>(end - rest_.begin());
      rest_ = rest_.subspan(std::min(comment + 1, rest_.size()));
    }
    return '\n';
  }

  // Reads a number of up to 10 digits, and the white space after it.
  std::int64_t number() {
    std::int64_t value = 0;
    for (int digits = 0;;) {
      if (rest_.empty() && digits == 0) throw cut_short();
      const std::uint8_t c = next();
      if (is_blank_byte(c) && digits == 0) continue;
      if (is_blank_byte(c)) return value;
      if (c < '0' || c > '9' || ++digits > 10) {
        throw bad_sample(name_, "what should be a number is none");
      }
      value = 10 * value + (c - '0');
    }
  }

  int plain_bit() {
    while (!rest_.empty()) {
      const std::uint8_t c = next();
      if (c == '0' || c == '1') return c - '0';
      if (!is_blank_byte(c)) throw bad_sample(name_, "what should be 0 or 1 is neither");
    }
    throw cut_short();
  }

  // 1 means black.
  void read_bits(Pixels& pixels) {
    const auto row_bytes = static_cast<std::size_t>(width_ + 7) / 8;
    for (int y = 0; y < pixels.height; ++y) {
      const std::uint8_t* const row = rest_.data() + static_cast<std::size_t>(y) * row_bytes;
      for (int x = 0; x < pixels.width; ++x) {
        const int bit = is_plain() ? plain_bit() : row[x / 8] >> (7 - x % 8) & 1;
        std::fill_n(pixels.row(y) + 3 * x, 3, static_cast<std::uint8_t>(bit == 1 ? 0 : 255));
      }
    }
  }

  // Pillow reads grey of more than 8 bits as 16 bits, of which its conversion to RGB keeps what is
  // below 255. Colours it scales to 8 bits, rounding halves to even.
  std::vector<std::uint8_t> levels() const {
    const double most = is_grey() && largest_ > 255 ? 65'535 : 255;
    std::vector<std::uint8_t> levels(largest_ < 256 ? 256 : 65'536);
    for (std::size_t v = 0; v < levels.size(); ++v) {
      const double share = static_cast<double>(v) / static_cast<double>(largest_);
      levels[v] = static_cast<std::uint8_t>(std::min(255.0, std::nearbyint(share * most)));
    }
    return levels;
  }

  std::size_t value(std::size_t i) {
    if (!is_plain()) return largest_ < 256 ? rest_[i] : rest_[2 * i] << 8 | rest_[2 * i + 1];
    const std::int64_t plain = number();
    if (plain > largest_) throw bad_sample(name_, "a value above its largest");
    return static_cast<std::size_t>(plain);
  }

  void read_values(std::uint8_t* to) {
    const auto level = levels();
    const std::size_t copies = is_grey() ? 3 : 1;
    for (std::size_t i = 0; i < samples(); ++i)
      std::fill_n(to + i * copies, copies, level[value(i)]);
  }

  const int kind_;
  std::span<const std::uint8_t> rest_;
  std::string name_;
  std::int64_t width_ = 0, height_ = 0, largest_ = 0;
};

}  // namespace

bool is_netpbm(std::span<const std::uint8_t> bytes) {
  return bytes.size() > 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         is_blank_byte(bytes[2]);
}

std::unique_ptr<ImageDecoder> open_netpbm(std::span<const std::uint8_t> bytes, std::string name) {
  return std::make_unique<NetpbmDecoder>(bytes, std::move(name));
}

}  // namespace scalemark::data
