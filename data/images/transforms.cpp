#include "data/images/transforms.h"

#include <cmath>
#include <cstdint>

namespace scalemark::data {
namespace {

constexpr double kLeastArea = 0.08;
constexpr double kLeastRatio = 3.0 / 4.0;
constexpr double kMostRatio = 4.0 / 3.0;
constexpr int kTries = 10;

// Python's round(): halves go to the even neighbour (the default rounding mode).
int round_half_even(double value) { return static_cast<int>(std::nearbyint(value)); }

Box central_crop(ImageSize image) {
  const double ratio = static_cast<double>(image.width) / image.height;
  int width = image.width;
  int height = image.height;
  if (ratio < kLeastRatio) {
    height = round_half_even(width / kLeastRatio);
  } else if (ratio > kMostRatio) {
    width = round_half_even(height * kMostRatio);
  }
  return {.left = (image.width - width) / 2,
          .top = (image.height - height) / 2,
          .width = width,
          .height = height};
}

}  // namespace

Box random_crop_box(ImageSize image, SampleRandom& random) {
  const double area = static_cast<double>(image.width) * image.height;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double target = area * random.uniform(kLeastArea, 1.0);
    const double ratio = std::exp(random.uniform(std::log(kLeastRatio), std::log(kMostRatio)));
    const int width = round_half_even(std::sqrt(target * ratio));
    const int height = round_half_even(std::sqrt(target / ratio));
    if (width < 1 || width > image.width || height < 1 || height > image.height) continue;
    const auto top = random.below(image.height - height + 1);
    const auto left = random.below(image.width - width + 1);
    return {.left = static_cast<int>(left),
            .top = static_cast<int>(top),
            .width = width,
            .height = height};
  }
  return central_crop(image);
}

ImageSize resized_by_shorter_side(ImageSize image, int shorter) {
  const auto longer = [&](int length, int side) {
    return static_cast<int>(static_cast<std::int64_t>(shorter) * length / side);
  };
  return image.width <= image.height ? ImageSize{shorter, longer(image.height, image.width)}
                                     : ImageSize{longer(image.width, image.height), shorter};
}

ResizePlan evaluation_plan(ImageSize image, int size) {
  const auto shorter = static_cast<int>((static_cast<std::int64_t>(size) * 256 + 112) / 224);
  const ImageSize full = resized_by_shorter_side(image, shorter);
  return {.box = {.width = static_cast<double>(image.width),
                  .height = static_cast<double>(image.height)},
          .full = full,
          .window = {.left = round_half_even((full.width - size) / 2.0),
                     .top = round_half_even((full.height - size) / 2.0),
                     .width = size,
                     .height = size}};
}

int scale_that_covers(const Box& box, ImageSize target) {
  for (const int eighths : {1, 2, 4}) {
    if (static_cast<std::int64_t>(box.width) * eighths >= std::int64_t{8} * target.width &&
        static_cast<std::int64_t>(box.height) * eighths >= std::int64_t{8} * target.height) {
      return eighths;
    }
  }
  return 8;
}

}  // namespace scalemark::data
