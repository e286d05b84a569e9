// Changes images that are cut out already: torchvision's RandomErasing changes the bytes of one
// image, its MixUp and CutMix mix those of a batch. Pure; knows no data sets and no torch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "data/images/decode.h"
#include "data/load/dataset.h"

namespace scalemark::data {

// torchvision's RandomErasing with its defaults, on bytes.

// ImageNet's mean pixel: normalised it is within 0.01 of torchvision's value, 0.
inline constexpr std::array<std::uint8_t, 3> kErased = {124, 116, 104};

// Draws a rectangle for a share `probability` of the images, none for the others. It covers 0.02 to
// 0.33 of the area, its height is 0.3 to 3.3 times its width, and it is smaller than the image both
// ways; ten tries that do not fit yield none.
std::optional<Box> draw_erased(double probability, ImageSize size, SampleRandom& random);

void erase(const RgbView& image, const Box& box);

// How the images of a batch are mixed with each other: torchvision's MixUp and CutMix, as numbers
// that travel with the batch. Whoever has the pixels mixes them (the network's device, or
// mix_bytes() for a picture of it).

// Each batch undergoes one of the two; where both alphas are above 0, either has an equal chance.
struct MixingOptions {
  double mixup = 0;   // alpha of the Beta distribution; 0: not done
  double cutmix = 0;  // likewise

  bool mixes() const { return mixup > 0 || cutmix > 0; }
};

// The columns of a batch's field "mixing" (f32 [n, 6]). A pixel is (its own image's) * kPixelShare
// + (the other's) * the rest; within the rectangle it is the other's. The other image is that of
// the row before, of the first row the last one's. "mixed_label" (i64 [n]) is its label.
enum MixingColumn { kLabelShare, kPixelShare, kTop, kLeft, kBottom, kRight, kMixingColumns };

using MixingRow = std::array<float, kMixingColumns>;

// At least one alpha is above 0. The lambda of MixUp and the rectangle of CutMix as torchvision
// draws them; the label's share is what the rectangle, cut at the edges, leaves.
MixingRow draw_mixing(const MixingOptions& options, ImageSize size, SampleRandom& random);

// From Beta(alpha, alpha), alpha > 0.
double draw_beta(double alpha, SampleRandom& random);

// The pixels of `own` after mixing, rounded; `other` as it was before.
void mix_bytes(const RgbView& own, const RgbView& other, const MixingRow& row);

}  // namespace scalemark::data
