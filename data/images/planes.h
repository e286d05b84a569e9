// The planes that a JPEG file stores: decoded, but neither upsampled nor converted to RGB. Plain
// data; knows nothing of libjpeg.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/images/decode.h"
#include "data/images/resize_filter.h"

namespace scalemark::data {

// A part of one plane.
struct Plane {
  const std::uint8_t* bytes = nullptr;  // of sample (left, top) of the whole plane
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
  ImageSize scaled;  // of the whole image at eighths / 8
  int eighths = 8;
  PlaneStore store;
};

}  // namespace scalemark::data
