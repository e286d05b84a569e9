#include "data/augment/operations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <span>

namespace scalemark::data {

// Pixel i covers [i, i + 1); as shears are around the corner, the pixel's middle counts.
ToSource shear_x(double share) { return {1, share, share * 0.5, 0, 1, 0}; }
ToSource shear_y(double share) { return {1, 0, 0, share, 1, share * 0.5}; }

ToSource shift(int right, int down) {
  return {1, 0, -static_cast<double>(right), 0, 1, -static_cast<double>(down)};
}

ToSource rotation(ImageSize size, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  const double x = (size.width - 1) / 2.0, y = (size.height - 1) / 2.0;
  return {c, -s, x - c * x + s * y, s, c, y - s * x - c * y};
}

namespace {

using Table = std::array<std::uint8_t, 256>;

std::span<std::uint8_t> bytes_of(const RgbView& image) {
  return {image.bytes, static_cast<std::size_t>(image.width) * image.height * 3};
}

// Truncates like torch's clamp and conversion; it does not round.
std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.F, 255.F));
}

template <class Formula>
Table make_table(const Formula& of) {
  Table table;
  for (std::size_t byte = 0; byte < table.size(); ++byte) table[byte] = of(static_cast<int>(byte));
  return table;
}

void look_up(const RgbView& image, const Table& table) {
  for (std::uint8_t& byte : bytes_of(image)) byte = table[byte];
}

void look_up(const RgbView& image, const std::array<Table, 3>& of_channels) {
  const auto bytes = bytes_of(image);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) bytes[i + c] = of_channels[c][bytes[i + c]];
  }
}

// Uses torchvision's weights, and truncates the sum.
float grey_of(const std::uint8_t* pixel) {
  return std::floor(0.2989F * static_cast<float>(pixel[0]) + 0.587F * static_cast<float>(pixel[1]) +
                    0.114F * static_cast<float>(pixel[2]));
}

using Histogram = std::array<std::int64_t, 256>;

std::array<Histogram, 3> histograms_of(const RgbView& image) {
  std::array<Histogram, 3> counts{};
  const auto bytes = bytes_of(image);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) ++counts[c][bytes[i + c]];
  }
  return counts;
}

int first_of(const Histogram& counts) {
  return static_cast<int>(std::ranges::find_if(counts, [](auto n) { return n > 0; }) -
                          counts.begin());
}

int last_of(const Histogram& counts) {
  int last = 255;
  while (last > 0 && counts[static_cast<std::size_t>(last)] == 0) --last;
  return last;
}

Table stretching(const Histogram& counts) {
  const int low = first_of(counts), high = last_of(counts);
  if (low >= high) return make_table([](int byte) { return static_cast<std::uint8_t>(byte); });
  const float scale = static_cast<float>(high - low) * static_cast<float>(1.0 / 255);
  return make_table([&](int byte) { return to_byte(static_cast<float>(byte - low) / scale); });
}

Table equalizing(const Histogram& counts) {
  const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const std::int64_t step = (all - counts[static_cast<std::size_t>(last_of(counts))]) / 255;
  std::int64_t below = step / 2;
  return make_table([&](int byte) {
    if (step == 0) return static_cast<std::uint8_t>(byte);
    const auto level = static_cast<std::uint8_t>(std::min<std::int64_t>(below / step, 255));
    below += counts[static_cast<std::size_t>(byte)];
    return level;
  });
}

}  // namespace

void adjust_brightness(const RgbView& image, double factor) {
  const auto by = static_cast<float>(factor);
  look_up(image, make_table([&](int byte) { return to_byte(static_cast<float>(byte) * by); }));
}

void adjust_saturation(const RgbView& image, double factor) {
  const auto own = static_cast<float>(factor), other = static_cast<float>(1 - factor);
  const auto bytes = bytes_of(image);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const float grey = grey_of(&bytes[i]) * other;
    for (std::size_t c = 0; c < 3; ++c) {
      bytes[i + c] = to_byte(static_cast<float>(bytes[i + c]) * own + grey);
    }
  }
}

void adjust_contrast(const RgbView& image, double factor) {
  const auto bytes = bytes_of(image);
  double sum = 0;  // exact, since grey_of() returns whole numbers
  for (std::size_t i = 0; i < bytes.size(); i += 3) sum += grey_of(&bytes[i]);
  const auto mean =
      static_cast<float>(sum / std::max<double>(1, static_cast<double>(bytes.size()) / 3));
  const auto own = static_cast<float>(factor), other = static_cast<float>(1 - factor);
  look_up(image, make_table([&](int byte) {
            return to_byte(static_cast<float>(byte) * own + mean * other);
          }));
}

void posterize(const RgbView& image, int bits) {
  if (bits >= 8) return;
  const auto mask = static_cast<std::uint8_t>(0xff << (8 - bits));
  for (std::uint8_t& byte : bytes_of(image)) byte &= mask;
}

void solarize(const RgbView& image, double threshold) {
  const auto from = static_cast<float>(threshold);
  look_up(image, make_table([&](int byte) {
            return static_cast<std::uint8_t>(static_cast<float>(byte) >= from ? 255 - byte : byte);
          }));
}

void autocontrast(const RgbView& image) {
  const auto counts = histograms_of(image);
  look_up(image, {stretching(counts[0]), stretching(counts[1]), stretching(counts[2])});
}

void equalize(const RgbView& image) {
  const auto counts = histograms_of(image);
  look_up(image, {equalizing(counts[0]), equalizing(counts[1]), equalizing(counts[2])});
}

void blend_with_blurred(const RgbView& image, const RgbView& blurred, double factor) {
  const auto share = static_cast<float>(1 - factor);
  const auto stride = static_cast<std::ptrdiff_t>(image.width) * 3;
  for (int y = 1; y + 1 < image.height; ++y) {
    for (std::ptrdiff_t i = y * stride + 3; i < (y + 1) * stride - 3; ++i) {
      const auto own = static_cast<float>(image.bytes[i]);
      image.bytes[i] = to_byte(own + (static_cast<float>(blurred.bytes[i]) - own) * share);
    }
  }
}

}  // namespace scalemark::data
