// Pixels in memory of somebody else.
#pragma once

#include <cstdint>

namespace scalemark::data {

// Of an image: RGB, rows of width * 3 bytes without gaps.
struct RgbView {
  std::uint8_t* bytes = nullptr;
  int width = 0;
  int height = 0;
};

}  // namespace scalemark::data
