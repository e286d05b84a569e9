// A convolution in bfloat16 on a CPU as one autograd node that computes its weight's gradient by a
// matrix product. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/weight_gradient.h"

namespace scalemark::workloads {

// Whether bf16_convolution() takes these and is the faster way: autocast to bfloat16 on a CPU,
// x in bfloat16 and channels-last, a weight in float or bfloat16 that wants a gradient.
bool has_bf16_convolution(const at::Tensor& x, const at::Tensor& weight,
                          const ConvolutionSteps& steps);

// at::conv2d() under autocast: x [n, in, h, w], weight [out, in, k, k], y in bfloat16. The weight's
// gradient is rounded to bfloat16 once, as oneDNN's, and handed on in the weight's type.
// Differentiable once.
at::Tensor bf16_convolution(const at::Tensor& x, const at::Tensor& weight,
                            const ConvolutionSteps& steps);

}  // namespace scalemark::workloads
