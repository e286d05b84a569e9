#include "data/images/image_view.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/error.h"

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

namespace {

ImageView whole_view(ImageSize image, const ResizePlan& plan) {
  return {.box = {.width = image.width, .height = image.height}, .plan = plan};
}

ResizePlan scaled(ResizePlan plan, int eighths, int left, int top) {
  const double scale = eighths / 8.0;
  plan.box = {.left = plan.box.left * scale - left,
              .top = plan.box.top * scale - top,
              .width = plan.box.width * scale,
              .height = plan.box.height * scale};
  return plan;
}

}  // namespace

ImageView crop_view(const Box& box, int size, bool flip) {
  return {.box = box,
          .scaled = true,
          .plan = {.box = {.left = static_cast<double>(box.left),
                           .top = static_cast<double>(box.top),
                           .width = static_cast<double>(box.width),
                           .height = static_cast<double>(box.height)},
                   .full = {size, size},
                   .window = {.width = size, .height = size},
                   .flip = flip}};
}

ImageView view_of(ImageSize image, const SampleKey& key, ImageTransform transform, int size) {
  switch (transform) {
    case ImageTransform::kTrain: {
      SampleRandom random(key);
      const Box box = random_crop_box(image, random);
      return crop_view(box, size, random.uniform() < 0.5);
    }
    case ImageTransform::kEvaluate:
      return whole_view(image, evaluation_plan(image, size));
    case ImageTransform::kNone:
      return whole_view(image, {.box = {.width = static_cast<double>(image.width),
                                        .height = static_cast<double>(image.height)},
                                .full = {size, size},
                                .window = {.width = size, .height = size}});
  }
  throw bug("unknown image transform");
}

int scale_of(const ImageView& view, ImageDecoding decoding) {
  const bool reduces = view.scaled && decoding == ImageDecoding::kExact;
  return reduces ? scale_that_covers(view.box, view.plan.full) : 8;
}

ResizePlan plan_of(const ImageView& view, const DecodedRegion& region) {
  return scaled(view.plan, region.eighths, region.left, region.top);
}

ResizePlan plan_of(const ImageView& view, const PlanarRegion& region) {
  return scaled(view.plan, region.eighths, 0, 0);
}

void write_view(ImageDecoder& image, const ImageView& view, ImageDecoding decoding,
                ImageWorkspace& workspace, std::uint8_t* target) {
  if (decoding == ImageDecoding::kFast &&
      image.decode_planes(view.box, scale_of(view, decoding), workspace.planes)) {
    return resize(workspace.planes, plan_of(view, workspace.planes), target, workspace.resize);
  }
  const DecodedRegion region = image.decode(view.box, scale_of(view, ImageDecoding::kExact));
  resize(region.pixels, plan_of(view, region), target, workspace.resize);
}

namespace {

// No more than this is kept, since larger files are rare.
constexpr std::size_t kMostKeptOfAFile = std::size_t{16} << 20;

}  // namespace

std::unique_ptr<ImageWorkspace> WorkspacePool::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    idle_.reserve(idle_.capacity() + 1);  // reserved so that giving it back cannot fail
    return std::make_unique<ImageWorkspace>();
  }
  std::unique_ptr<ImageWorkspace> workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<ImageWorkspace> workspace) noexcept {
  if (workspace->file.capacity() > kMostKeptOfAFile) workspace->file = {};
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

}  // namespace scalemark::data
