#include "data/augment/policies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "data/augment/operations.h"

namespace scalemark::data {
namespace {

constexpr int kBins = 31;   // strengths 0 to 30
constexpr int kKinds = 14;  // kIdentity to kEqualize
constexpr int kRandAugmentChanges = 2;
constexpr int kRandAugmentBin = 9;
constexpr double kJitter = 0.4;
constexpr double kJitterOfHue = 0.1;

// The greatest strengths of a policy.
struct Widest {
  double shear;
  double shift_x, shift_y;  // pixels
  double rotation;
  double factor;  // largest difference from 1
  double bits;    // bits that posterize removes
};

Widest widest_of(Augment augment, ImageSize size) {
  constexpr double kShiftOfSize = 150.0 / 331.0;
  if (augment == Augment::kTrivial) return {0.99, 32, 32, 135, 0.99, 6};
  return {0.3, kShiftOfSize * size.width, kShiftOfSize * size.height, 30, 0.9, 4};
}

// Returns torch.linspace(from, to, kBins)[bin], bit by bit, in float32 and rounded once, since
// solarize's thresholds are exact levels.
double between(double from, double to, int bin) {
  const auto low = static_cast<float>(from), high = static_cast<float>(to);
  const double step = (high - low) / static_cast<float>(kBins - 1);
  return static_cast<float>(bin < kBins / 2 ? low + step * bin : high - step * (kBins - 1 - bin));
}

bool is_signed(Operation operation) {
  return operation >= Operation::kShearX && operation <= Operation::kSharpness;
}

double strength(Operation operation, const Widest& widest, int bin) {
  switch (operation) {
    case Operation::kShearX:
    case Operation::kShearY:
      return between(0, widest.shear, bin);
    case Operation::kTranslateX:
      return std::trunc(between(0, widest.shift_x, bin));
    case Operation::kTranslateY:
      return std::trunc(between(0, widest.shift_y, bin));
    case Operation::kRotate:
      return between(0, widest.rotation, bin);
    case Operation::kBrightness:
    case Operation::kColour:
    case Operation::kContrast:
    case Operation::kSharpness:
      return between(0, widest.factor, bin);
    case Operation::kPosterize:
      return std::nearbyint(8 - bin / ((kBins - 1) / widest.bits));
    case Operation::kSolarize:
      return between(1, 0, bin);
    case Operation::kIdentity:
    case Operation::kAutocontrast:
    case Operation::kEqualize:
    case Operation::kHue:
      break;
  }
  return 0;
}

// `bin` is drawn when absent.
Change draw_change(const Widest& widest, std::optional<int> bin, SampleRandom& random) {
  Change change{.operation = static_cast<Operation>(random.below(kKinds))};
  const int drawn = bin ? *bin : static_cast<int>(random.below(kBins));
  change.magnitude = strength(change.operation, widest, drawn);
  if (is_signed(change.operation) && random.uniform() < 0.5) change.magnitude = -change.magnitude;
  return change;
}

std::vector<Change> draw_jitter(SampleRandom& random) {
  std::vector<Change> changes{
      {Operation::kBrightness}, {Operation::kContrast}, {Operation::kColour}};
  for (Change& change : changes) change.magnitude = random.uniform(-kJitter, kJitter);
  changes.push_back({Operation::kHue, random.uniform(-kJitterOfHue, kJitterOfHue)});
  for (std::size_t left = changes.size(); left > 1; --left) {
    std::swap(changes[left - 1],
              changes[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(left)))]);
  }
  return changes;
}

// A copy of the image's bytes, from which OpenCV writes the image anew.
struct Copy {
  explicit Copy(const RgbView& image)
      : pixels(image.width, image.height), view{pixels.row(0), image.width, image.height} {}
  Pixels pixels;
  RgbView view;
};

void warp(const RgbView& image, const ToSource& to_source, const OpencvApi& opencv) {
  const Copy before(image);
  std::copy_n(image.bytes, before.pixels.stride() * static_cast<std::size_t>(image.height),
              before.view.bytes);
  opencv.warp_nearest(before.view, image, to_source);
}

void adjust_sharpness(const RgbView& image, double factor, const OpencvApi& opencv) {
  if (image.width <= 2 || image.height <= 2) return;
  const Copy blurred(image);
  opencv.blur(image, blurred.view);
  blend_with_blurred(image, blurred.view, factor);
}

}  // namespace

std::vector<Change> draw_changes(Augment augment, ImageSize size, SampleRandom& random) {
  const Widest widest = widest_of(augment, size);
  switch (augment) {
    case Augment::kBasic:
      return {};
    case Augment::kTrivial:
      return {draw_change(widest, std::nullopt, random)};
    case Augment::kRandAugment: {
      std::vector<Change> changes;
      for (int i = 0; i < kRandAugmentChanges; ++i) {
        changes.push_back(draw_change(widest, kRandAugmentBin, random));
      }
      return changes;
    }
    case Augment::kColourJitter:
      return draw_jitter(random);
  }
  throw bug("unknown augmentation");
}

void apply(const Change& change, const RgbView& image, const OpencvApi& opencv) {
  const double m = change.magnitude;
  switch (change.operation) {
    case Operation::kIdentity:
      return;
    case Operation::kShearX:
      return warp(image, shear_x(m), opencv);
    case Operation::kShearY:
      return warp(image, shear_y(m), opencv);
    case Operation::kTranslateX:
      return warp(image, shift(static_cast<int>(m), 0), opencv);
    case Operation::kTranslateY:
      return warp(image, shift(0, static_cast<int>(m)), opencv);
    case Operation::kRotate:
      return warp(image, rotation({image.width, image.height}, m), opencv);
    case Operation::kBrightness:
      return adjust_brightness(image, 1 + m);
    case Operation::kColour:
      return adjust_saturation(image, 1 + m);
    case Operation::kContrast:
      return adjust_contrast(image, 1 + m);
    case Operation::kSharpness:
      return adjust_sharpness(image, 1 + m, opencv);
    case Operation::kPosterize:
      return posterize(image, static_cast<int>(m));
    case Operation::kSolarize:
      return solarize(image, 255 * m);
    case Operation::kAutocontrast:
      return autocontrast(image);
    case Operation::kEqualize:
      return equalize(image);
    case Operation::kHue:
      return opencv.shift_hue(image, m);
  }
}

}  // namespace scalemark::data
