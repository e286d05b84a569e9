// PBM, PGM and PPM files, plain and raw (P1 to P6). Values are scaled as Pillow scales them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "data/images/codecs.h"

namespace scalemark::data {
namespace {

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

  // Before memory is taken for pixels: each plain sample has a byte at least.
  void refuse_if_cut_short() const {
    const auto rows = static_cast<std::size_t>(height_);
    const std::size_t least = kind_ == 4 ? static_cast<std::size_t>(width_ + 7) / 8 * rows
                                         : samples() * (is_plain() || largest_ < 256 ? 1 : 2);
    if (rest_.size() < least) throw cut_short();
  }
  Error cut_short() const { return bad_sample(name_, "the image is cut short"); }

  // The next byte that belongs to no comment; a comment goes to the end of its line.
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

  // A number has up to 10 digits, and is taken with the white space behind it.
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

  // 1 is black.
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
  // below 255; colours it brings to 8 bits. It rounds halves to even.
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
