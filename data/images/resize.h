// Antialiased bilinear resampling of pixels, like Pillow and torchvision, and of a JPEG file's
// stored planes. Pure: knows nothing of files, libjpeg or the choice of a box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/images/decode.h"
#include "data/images/resize_filter.h"
#include "kernels/instruction_set.h"

namespace scalemark::data {

// A part of one stored plane of a JPEG file: decoded, but neither upsampled nor converted to RGB.
// `bytes` begins with sample (left, top) of the whole plane.
struct Plane {
  const std::uint8_t* bytes = nullptr;
  std::size_t stride = 0;
  int left = 0;
  int top = 0;
  LineSamples across;
  LineSamples down;
};

// Memory for planes that is kept from image to image; unwritten contents are undefined.
class PlaneStore {
 public:
  std::uint8_t* of(std::size_t bytes);

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
};

struct PlanarRegion {
  Plane planes[3];
  int count = 0;     // 1: grey; 3: Y, Cb and Cr
  ImageSize scaled;  // size of the whole image at eighths / 8
  int eighths = 8;
  PlaneStore store;
};

// The box is in pixels of the source; its edges may be within pixels.
struct RealBox {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

// The part `box` of the source is resized to `full`, of which only the part `window` is computed,
// mirrored left to right if `flip`.
struct ResizePlan {
  RealBox box;
  ImageSize full;
  Box window;
  bool flip = false;
};

// Memory of a resize besides its pixels. Reusing it avoids allocations.
struct ResizeBuffers {
  struct Filters {
    LineFilter across;
    LineFilter down;
  };
  Filters filters[3];                   // one per plane
  std::vector<std::int16_t> middle[3];  // holds the values between the passes
};

// Writes window.height rows of window.width RGB pixels to `target`. The filter is a triangle whose
// support grows with the reduction; taps outside the box are left out, and the others are
// normalised to a sum of one. The result is within 1 level of Pillow's BILINEAR (which rounds
// between its two passes), and has the same bytes with every instruction set.
void resize(const Pixels& source, const ResizePlan& plan, std::uint8_t* target,
            ResizeBuffers& buffers, kernels::InstructionSet set = kernels::widest());
void resize(const Pixels& source, const ResizePlan& plan, std::uint8_t* target);

// Resizes each plane by itself and converts to RGB at the target's size; plan.box is in pixels of
// the whole image at the region's scale. The result differs from that of the function above by
// rounding, and where the source's RGB would have been clipped.
void resize(const PlanarRegion& source, const ResizePlan& plan, std::uint8_t* target,
            ResizeBuffers& buffers, kernels::InstructionSet set = kernels::widest());

// Resizes three planes without converting them to RGB, for measurements.
void resize_unconverted(const PlanarRegion& source, const ResizePlan& plan, std::uint8_t* target,
                        ResizeBuffers& buffers);

}  // namespace scalemark::data
