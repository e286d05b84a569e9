#include "data/augment/mixing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace scalemark::data {
namespace {

constexpr double kLeastErased = 0.02, kMostArea = 0.33;
constexpr double kLeastErasedRatio = 0.3, kMostErasedRatio = 3.3;
constexpr int kErasingTries = 10;

}  // namespace

std::optional<Box> draw_erased(double probability, ImageSize size, SampleRandom& random) {
  if (random.uniform() >= probability) return std::nullopt;
  const double area = static_cast<double>(size.width) * size.height;
  for (int attempt = 0; attempt < kErasingTries; ++attempt) {
    const double target = area * random.uniform(kLeastErased, kMostArea);
    const double ratio =
        std::exp(random.uniform(std::log(kLeastErasedRatio), std::log(kMostErasedRatio)));
    const auto height = static_cast<int>(std::nearbyint(std::sqrt(target * ratio)));
    const auto width = static_cast<int>(std::nearbyint(std::sqrt(target / ratio)));
    if (height >= size.height || width >= size.width) continue;
    const auto top = static_cast<int>(random.below(size.height - height + 1));
    const auto left = static_cast<int>(random.below(size.width - width + 1));
    return Box{.left = left, .top = top, .width = width, .height = height};
  }
  return std::nullopt;
}

void erase(const RgbView& image, const Box& box) {
  for (int y = box.top; y < box.top + box.height; ++y) {
    std::uint8_t* pixel =
        image.bytes + (static_cast<std::ptrdiff_t>(y) * image.width + box.left) * 3;
    for (int x = 0; x < box.width; ++x, pixel += 3) std::ranges::copy(kErased, pixel);
  }
}

namespace {

// The Box-Muller method.
double draw_normal(SampleRandom& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// Returns the logarithm of a Gamma(shape, 1) variable, shape > 0, since for small shapes most
// values are smaller than any double. Source: Marsaglia and Tsang, "A simple method for generating
// gamma variables", ACM TOMS 26(3), 2000, with its section 6 for shapes below 1.
double draw_log_gamma(double shape, SampleRandom& random) {
  if (shape < 1) {
    const double log_power = std::log(1 - random.uniform()) / shape;
    return draw_log_gamma(shape + 1, random) + log_power;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draw_normal(random);
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return std::log(d) + std::log(v);
    }
  }
}

MixingRow mixup_row(double alpha, SampleRandom& random) {
  const auto lambda = static_cast<float>(draw_beta(alpha, random));
  return {lambda, lambda, 0, 0, 0, 0};
}

MixingRow cutmix_row(double alpha, ImageSize size, SampleRandom& random) {
  const double lambda = draw_beta(alpha, random);
  const auto x = static_cast<int>(random.below(size.width));
  const auto y = static_cast<int>(random.below(size.height));
  const double half = 0.5 * std::sqrt(1 - lambda);
  const int half_width = static_cast<int>(half * size.width);
  const int half_height = static_cast<int>(half * size.height);
  const int left = std::max(x - half_width, 0), right = std::min(x + half_width, size.width);
  const int top = std::max(y - half_height, 0), bottom = std::min(y + half_height, size.height);
  const double taken = static_cast<double>(right - left) * (bottom - top) /
                       (static_cast<double>(size.width) * size.height);
  return {static_cast<float>(1 - taken), 1,
          static_cast<float>(top),       static_cast<float>(left),
          static_cast<float>(bottom),    static_cast<float>(right)};
}

}  // namespace

double draw_beta(double alpha, SampleRandom& random) {
  const double one = draw_log_gamma(alpha, random);
  const double other = draw_log_gamma(alpha, random);
  return 1 / (1 + std::exp(other - one));
}

MixingRow draw_mixing(const MixingOptions& options, ImageSize size, SampleRandom& random) {
  const bool both = options.mixup > 0 && options.cutmix > 0;
  const bool mixup = both ? random.uniform() < 0.5 : options.mixup > 0;
  return mixup ? mixup_row(options.mixup, random) : cutmix_row(options.cutmix, size, random);
}

void mix_bytes(const RgbView& own, const RgbView& other, const MixingRow& row) {
  const float share = row[kPixelShare];
  std::ptrdiff_t i = 0;
  for (int y = 0; y < own.height; ++y) {
    const bool in_rows = y >= row[kTop] && y < row[kBottom];
    for (int x = 0; x < own.width; ++x) {
      const float kept = in_rows && x >= row[kLeft] && x < row[kRight] ? 0 : share;
      for (int c = 0; c < 3; ++c, ++i) {
        const float mixed = static_cast<float>(own.bytes[i]) * kept +
                            static_cast<float>(other.bytes[i]) * (1 - kept);
        own.bytes[i] = static_cast<std::uint8_t>(std::lround(mixed));
      }
    }
  }
}

}  // namespace scalemark::data
