// ResNet-50 v1.5 with torchvision's names, initialisation and numerics, and its input: image bytes
// become numbers on any device, and images are mixed in pairs.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <memory>

#include "workloads/networks/network.h"

namespace scalemark::workloads {

// Numbers per channel (red, green, blue), for pixels in [0, 1].
struct PixelStatistics {
  std::array<double, 3> mean, deviation;
};

// Turns uint8 NHWC [n, h, w, 3] into (pixel / 255 - mean) / deviation as [n, 3, h, w],
// channels-last, in `dtype`. It looks values up in one table (pixel_table.h), so that CPU and CUDA
// give the same bits.
at::Tensor normalise_images(const at::Tensor& images, const PixelStatistics& statistics,
                            at::ScalarType dtype);

// --- A ResNet of any number of bottlenecks in its four stages. ResNet-50 is one; tests use one
// with fewer, whose steps cost a third. Depends on no entry of the catalogue.

using ResNetStages = std::array<int, 4>;  // bottlenecks of each stage
inline constexpr ResNetStages kResNet50Stages{3, 4, 6, 3};

// Makes a network with fresh parameters, as make_network() does; `options.shape` is resolved.
std::unique_ptr<Network> make_resnet(const ResNetStages& stages, const NetworkOptions& options);

}  // namespace scalemark::workloads
