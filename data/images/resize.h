// Antialiased bilinear resampling of pixels, as Pillow and torchvision do it, and of the planes
// that a JPEG file stores. Pure: knows nothing of files, of libjpeg or of why a box was chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/images/decode.h"
#include "data/images/resize_filter.h"
#include "kernels/instruction_set.h"

namespace scalemark::data {

// A part of one of the planes that a JPEG file stores: decoded, but neither upsampled nor converted
// to RGB. `bytes` begins with sample (left, top) of the whole plane.
struct Plane {
  const std::uint8_t* bytes = nullptr;
  std::size_t stride = 0;
  int left = 0;
  int top = 0;
  LineSamples across;
  LineSamples down;
};

// Memory for planes that is kept from image to image; what it holds before it is written to is
// undefined.
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
  ImageSize scaled;  // the whole image has this size at eighths / 8
  int eighths = 8;
  PlaneStore store;
};

// In pixels of the source, edges not necessarily between pixels.
struct RealBox {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

// The part `box` of the source would become an image of the size `full`, of which the part `window`
// is wanted, mirrored left to right if `flip`.
struct ResizePlan {
  RealBox box;
  ImageSize full;
  Box window;
  bool flip = false;
};

// A resize needs these besides its pixels; buffers that are used again cost no allocation.
struct ResizeBuffers {
  struct Filters {
    LineFilter across;
    LineFilter down;
  };
  Filters filters[3];                   // one per plane
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

// Resizes three planes without converting them to RGB: for measurements.
void resize_unconverted(const PlanarRegion& source, const ResizePlan& plan, std::uint8_t* target,
                        ResizeBuffers& buffers);

}  // namespace scalemark::data
