// Batch norm with the addition and the ReLU that follow it in a residual network, as one autograd
// node over two operators of ours: two passes over memory forward and two backward, where single
// operators need three to five. On a CPU and on CUDA, for activations in channels_last order.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/layers/norm_passes.h"

namespace scalemark::workloads {

// The operators, a forward and a backward, whose kernels the dispatcher finds by device: those of a
// CPU are the passes of norm_passes.h, those of CUDA stand in engine/cuda/norm. They know no
// autograd.

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

// These are the parameters and buffers of a torch.nn.BatchNorm2d. Training uses the statistics of
// the batch and updates the running ones where they are defined; evaluation uses those.
struct NormState {
  at::Tensor weight, bias, running_mean, running_var;
  double momentum, eps;
  bool training;
};

// Says what follows the norm: y = gain * norm(x) + shortcut, and a ReLU.
struct NormTail {
  bool relu = false;
  at::Tensor shortcut = {};  // in x's shape; undefined: none. Needs relu
  double gain = 1;
  bool fork = false;
};

// One value for two uses. Of fused_norm() with `fork` two tensors with one memory: their gradients
// come to its node apart, which adds them in a pass that it does anyway, and autograd need not.
// Neither may be written into. Else the same tensor twice.
struct Fork {
  at::Tensor branch, shortcut;
};

// Whether fused_norm() takes these: float, bf16 or double on a CPU, float, bf16 or fp16 on CUDA,
// channels_last; evaluation without gradients only.
bool has_fused_norm(const at::Tensor& x, const NormState& state, const NormTail& tail);

// Differentiable once. Sums in float, for double in double; of which rows, and in which order,
// depends on the shape alone. Backward may write into the gradients that it gets, where nobody else
// holds them. What it keeps goes through autograd's SavedVariable (checkpointed.h).
Fork fused_norm(const at::Tensor& x, const NormState& state, const NormTail& tail);

}  // namespace scalemark::workloads
