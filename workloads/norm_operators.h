// Batch norm with the addition and the ReLU that follow it, as two operators of ours: a forward
// and a backward, whose kernels the dispatcher finds by device. Those of a CPU are the passes of
// norm_passes.h, those of CUDA stand in engine/cuda/norm. They know no autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/norm_passes.h"

namespace scalemark::workloads {

// Where statistics come from: in training from the batch, towards which running ones, as far as
// they are defined, are moved as torch.nn.BatchNorm2d does; in evaluation from these.
struct NormStatistics {
  RunningStatistics running;
  double eps;
  bool training;
};

// `kept` of the statistics, and the mask of the ReLU where it was asked for: what they hold is
// between the kernels of one device.
struct NormResult {
  at::Tensor y, kept, positive;
};
NormResult run_norm(const NormForward& forward, const NormStatistics& statistics, bool keeps_mask);

// The same in backward; its member `statistics` is what was `kept`.
NormParameterGradients run_norm_backward(const NormForward& forward, const NormBackward& backward);

// Whether there are kernels for activations of this type, on a CPU or on CUDA.
bool has_norm_kernels(const at::Tensor& x);

}  // namespace scalemark::workloads
