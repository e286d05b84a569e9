// The gradient of a convolution's weight as one matrix product over channels-last memory, and where
// that is faster than oneDNN's own kernel. Knows no autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace scalemark::workloads {

// Square kernel, without dilation or groups; padding on all four sides.
struct ConvolutionSteps {
  std::int64_t stride = 1, padding = 0;
};

// Of a weight [out, in, k, k], for images x [n, in, h, w] and the gradient of y [n, out, h', w'],
// all of one type, the images and the gradient in channels-last. In the weight's shape,
// channels-last. Makes a copy of x, k^2 / stride^2 times as large, unless k and the stride are 1.
at::Tensor weight_gradient(const at::Tensor& of_y, const at::Tensor& x, std::int64_t kernel,
                           const ConvolutionSteps& steps);

// Whether weight_gradient() is the faster way in bfloat16 on a CPU, by measurements of
// tools/bench/weight_gradient_bench.cpp (docs/PERFORMANCE.md).
bool product_is_faster(const at::Tensor& x, const at::Tensor& weight,
                       const ConvolutionSteps& steps);

}  // namespace scalemark::workloads
