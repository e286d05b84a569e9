// Antialiased bilinear resampling of RGB pixels, as Pillow and torchvision do it. Pure: knows
// nothing of files or of why a box was chosen.
#pragma once

#include <cstdint>

#include "data/images/decode.h"

namespace scalemark::data {

// In pixels of the source, edges not necessarily between pixels.
struct RealBox {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

struct ResizePlan {
  RealBox box;        // this part of the source ...
  ImageSize full;     // ... would become an image of this size,
  Box window;         // of which this part is wanted,
  bool flip = false;  // mirrored left to right.
};

// Writes window.height rows of window.width RGB pixels to `target`. Triangle filter whose support
// grows with the reduction; taps outside the box's pixels are left out, the rest weighs as one.
// Within 1 level of Pillow's BILINEAR (which rounds between its two passes).
void resize(const Pixels& source, const ResizePlan& plan, std::uint8_t* target);

}  // namespace scalemark::data
