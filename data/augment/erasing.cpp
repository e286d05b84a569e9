#include "data/augment/erasing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

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

}  // namespace scalemark::data
