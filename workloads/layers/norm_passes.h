// Batch norm of activations [rows, channels] (NHWC), with the addition and the ReLU that follow it.
// It combines the passes of kernels/norm, splits rows among ATen's threads, and computes the few
// numbers per channel in between in double. The split depends on the shape alone, so results repeat
// bit by bit at any number of threads. Knows no autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/instruction_set.h"

namespace scalemark::workloads {

// y = gain * norm(x) + shortcut, with a ReLU if `relu`. x, shortcut and y are [n, c, h, w] in
// channels_last order, all float, bf16 or double; weight and bias are float, or double for double.
struct NormForward {
  at::Tensor x, weight, bias;
  at::Tensor shortcut = {};  // needs relu; undefined: none
  double gain = 1;
  bool relu = false;
};

// Returns [2, c] in double: means and 1 / sqrt(variance + eps), here of running statistics.
at::Tensor norm_statistics(const at::Tensor& mean, const at::Tensor& variance, double eps);

// Running statistics for the next function, which returns the same numbers for x and updates the
// running ones as torch.nn.BatchNorm2d does; undefined ones are left out.
struct RunningStatistics {
  at::Tensor mean, variance;
  double momentum;
};
at::Tensor norm_statistics(const at::Tensor& x, double eps, const RunningStatistics& running,
                           kernels::InstructionSet set);

// Returns y; fills `positive` (uint8 [n h w, mask_stride(c)]) where it is defined.
at::Tensor norm_forward(const NormForward& norm, const at::Tensor& statistics, at::Tensor& positive,
                        kernels::InstructionSet set);

// norm_backward() needs these beside norm_forward()'s arguments.
struct NormBackward {
  at::Tensor statistics;
  at::Tensor positive;        // norm_forward() fills it in; undefined: computed again
  at::Tensor of_y, of_y_too;  // gradients of y, channels_last; the second may be undefined
  // Memory for results; each may be a gradient of y. of_sum, the gradient of gain * norm(x) and of
  // the shortcut alike, is needed with a second gradient and with `positive`.
  at::Tensor of_sum, of_x;
};

struct NormParameterGradients {
  at::Tensor weight, bias;
};

// Writes norm.of_sum and norm.of_x where they are defined.
NormParameterGradients norm_backward(const NormForward& forward, const NormBackward& backward,
                                     kernels::InstructionSet set);

}  // namespace scalemark::workloads
