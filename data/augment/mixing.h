// Changes images after the crop: torchvision's RandomErasing changes the bytes of one image, its
// MixUp and CutMix mix those of a batch. Pure; knows no data sets and no torch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "data/images/decode.h"
#include "data/load/dataset.h"

namespace scalemark::data {

// --- torchvision's RandomErasing with its defaults, on bytes.

// ImageNet's mean pixel, which after normalisation is within 0.01 of torchvision's value, 0.
inline constexpr std::array<std::uint8_t, 3> kErased = {124, 116, 104};

// Draws a rectangle for a share `probability` of the images, none for the others. It covers 0.02 to
// 0.33 of the area, its height is 0.3 to 3.3 times its width, and it is smaller than the image in
// both directions. After ten tries that do not fit there is none.
std::optional<Box> draw_erased(double probability, ImageSize size, SampleRandom& random);

void erase(const RgbView& image, const Box& box);

// --- torchvision's MixUp and CutMix of the images in a batch, as numbers that belong to the batch.
// The pixels are mixed later: on the network's device, or by mix_bytes() for a picture.

// Each batch gets one of the two; where both alphas are above 0, either has an equal chance.
struct MixingOptions {
  double mixup = 0;   // alpha of the Beta distribution; 0: not done
  double cutmix = 0;  // likewise

  bool mixes() const { return mixup > 0 || cutmix > 0; }
};

// The columns of a batch's field "mixing" (f32 [n, 6]). A mixed pixel is kPixelShare * its own
// image's + (1 - kPixelShare) * the other image's; within the rectangle it is the other's. The
// other image is that of the previous row; for the first row that of the last. "mixed_label" (i64
// [n]) is its label.
enum MixingColumn { kLabelShare, kPixelShare, kTop, kLeft, kBottom, kRight, kMixingColumns };

using MixingRow = std::array<float, kMixingColumns>;

// At least one alpha must be above 0. Draws the lambda of MixUp and the rectangle of CutMix as
// torchvision does; the label's share is the area outside the rectangle after it is cut at the
// edges.
MixingRow draw_mixing(const MixingOptions& options, ImageSize size, SampleRandom& random);

// Draws from Beta(alpha, alpha), alpha > 0.
double draw_beta(double alpha, SampleRandom& random);

// Writes the mixed pixels of `own`, rounded; `other` must still be unmixed.
void mix_bytes(const RgbView& own, const RgbView& other, const MixingRow& row);

}  // namespace scalemark::data
