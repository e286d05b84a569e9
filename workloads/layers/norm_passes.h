// Batch norm of activations [rows, channels] (NHWC), with the addition and the ReLU that follow it:
// the passes of kernels/norm put together, with rows split among ATen's threads and the few numbers
// per channel in between in double. How rows are split depends on the shape alone, so results
// repeat bit by bit at any number of threads. Knows no autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/instruction_set.h"

namespace scalemark::workloads {

// y = gain * norm(x) + shortcut, of which a ReLU leaves what is positive. x, shortcut, y are
// [n, c, h, w] in channels_last order, all float, bf16 or double; weight and bias float, double for
// double.
struct NormForward {
  at::Tensor x, weight, bias;
  at::Tensor shortcut = {};  // undefined: none; needs relu
  double gain = 1;
  bool relu = false;
};

// In double, [2, c]: means and 1 / sqrt(variance + eps). Of running statistics, or of x.
at::Tensor norm_statistics(const at::Tensor& mean, const at::Tensor& variance, double eps);

// The same of x, and running statistics moved towards it as torch.nn.BatchNorm2d does; undefined
// ones are left out.
struct RunningStatistics {
  at::Tensor mean, variance;
  double momentum;
};
at::Tensor norm_statistics(const at::Tensor& x, double eps, const RunningStatistics& running,
                           kernels::InstructionSet set);

// y; fills `positive` (uint8 [n h w, mask_stride(c)]) where it is defined.
at::Tensor norm_forward(const NormForward& norm, const at::Tensor& statistics, at::Tensor& positive,
                        kernels::InstructionSet set);

// norm_backward() needs these beside norm_forward()'s arguments.
struct NormBackward {
  at::Tensor statistics;
  at::Tensor positive;        // norm_forward() fills it in; undefined: computed again
  at::Tensor of_y, of_y_too;  // gradients of y, channels_last; the second may be undefined
  // Where results may be written; each may be a gradient of y. of_sum is needed with a second
  // gradient and with `positive`: the gradient of gain * norm(x) and of the shortcut alike.
  at::Tensor of_sum, of_x;
};

struct NormParameterGradients {
  at::Tensor weight, bias;
};

// Writes norm.of_sum and norm.of_x as far as they are defined.
NormParameterGradients norm_backward(const NormForward& forward, const NormBackward& backward,
                                     kernels::InstructionSet set);

}  // namespace scalemark::workloads
