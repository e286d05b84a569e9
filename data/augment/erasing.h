// torchvision's RandomErasing with its defaults, on bytes. Pure; knows no data sets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "data/images/decode.h"
#include "data/images/rgb_view.h"
#include "data/sample_random.h"

namespace scalemark::data {

// ImageNet's mean pixel: normalised it is within 0.01 of torchvision's value, 0.
inline constexpr std::array<std::uint8_t, 3> kErased = {124, 116, 104};

// Of a share `probability` of images a rectangle: 0.02 to 0.33 of the area, ratio of height to
// width 0.3 to 3.3, smaller than the image both ways; ten tries.
std::optional<Box> draw_erased(double probability, ImageSize size, SampleRandom& random);

void erase(const RgbView& image, const Box& box);

}  // namespace scalemark::data
