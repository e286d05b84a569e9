// RGB pixels as a JPEG or PNG file in memory. Knows no paths.
#pragma once

#include <cstdint>
#include <vector>

#include "data/images/decode.h"

namespace scalemark::data {

// Baseline, 4:2:0; the same bytes on every machine with the same libjpeg-turbo.
std::vector<std::uint8_t> encode_jpeg(const Pixels& pixels, int quality);

std::vector<std::uint8_t> encode_png(const Pixels& pixels);

}  // namespace scalemark::data
