// Converts the bytes of images to a network's input, on any device.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

namespace scalemark::workloads {

// Per channel (red, green, blue), for pixels in [0, 1].
struct PixelStatistics {
  std::array<double, 3> mean, deviation;
};

// uint8 NHWC [n, h, w, 3] -> (pixel / 255 - mean) / deviation as [n, 3, h, w], channels-last, in
// `dtype`: a look-up in one table (pixel_table.h), so that CPU and CUDA give the same bits.
at::Tensor normalise_images(const at::Tensor& images, const PixelStatistics& statistics,
                            at::ScalarType dtype);

}  // namespace scalemark::workloads
