// Antialiased bilinear resampling of pixels, as Pillow and torchvision do it. Pure: knows nothing
// of files or of why a box was chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "data/images/decode.h"
#include "data/images/planes.h"
#include "data/images/resize_filter.h"
#include "kernels/instruction_set.h"

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

// What a resize needs besides its pixels; one that is used again costs no allocation.
struct ResizeBuffers {
  struct Filters {
    LineFilter across;
    LineFilter down;
  };
  Filters filters[3];                   // of a plane
  std::vector<std::int16_t> middle[3];  // between the passes
};

// Writes window.height rows of window.width RGB pixels to `target`. Triangle filter whose support
// grows with the reduction; taps outside the box's pixels are left out, the rest weighs as one.
// Within 1 level of Pillow's BILINEAR (which rounds between its two passes), and the same bytes
// with every instruction set.
void resize(const Pixels& source, const ResizePlan& plan, std::uint8_t* target,
            ResizeBuffers& buffers, kernels::InstructionSet set = kernels::widest());
void resize(const Pixels& source, const ResizePlan& plan, std::uint8_t* target);

// Planes are resized each by itself and become RGB at the target's size; plan.box is in pixels of
// the whole image at the region's scale. Differs from the above by rounding, and where RGB of the
// source would have been clipped.
void resize(const PlanarRegion& source, const ResizePlan& plan, std::uint8_t* target,
            ResizeBuffers& buffers, kernels::InstructionSet set = kernels::widest());

// As above, but three planes stay what they are: for measurements.
void resize_unconverted(const PlanarRegion& source, const ResizePlan& plan, std::uint8_t* target,
                        ResizeBuffers& buffers);

}  // namespace scalemark::data
