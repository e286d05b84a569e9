// Batch norm with the addition and the ReLU that follow it in a residual network, as one autograd
// node over two operators of ours: two passes over memory forward and two backward, where single
// operators need three to five. On a CPU and on CUDA, for activations in channels_last order.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/layers/norm_passes.h"

namespace scalemark::workloads {

// --- A forward and a backward operator, whose kernels the dispatcher finds by device: a CPU's are
// the passes of norm_passes.h, CUDA's are in engine/cuda/norm. They know no autograd.

// In training, statistics come from the batch, and running statistics, if defined, are updated as
// in torch.nn.BatchNorm2d. In evaluation the running statistics are used.
struct NormStatistics {
  RunningStatistics running;
  double eps;
  bool training;
};

// `kept` holds the statistics, and `positive` the ReLU's mask where it was asked for. Their
// contents are private to the kernels of one device.
struct NormResult {
  at::Tensor y, kept, positive;
};
NormResult run_norm(const NormForward& forward, const NormStatistics& statistics, bool keeps_mask);

// The backward operator; `backward.statistics` is what was `kept`.
NormParameterGradients run_norm_backward(const NormForward& forward, const NormBackward& backward);

// Whether there are kernels for activations of this type, on a CPU or on CUDA.
bool has_norm_kernels(const at::Tensor& x);

// The parameters and buffers of a torch.nn.BatchNorm2d. Training uses the statistics of the batch
// and updates the running ones where they are defined; evaluation uses the running ones.
struct NormState {
  at::Tensor weight, bias, running_mean, running_var;
  double momentum, eps;
  bool training;
};

// The steps after the norm: y = gain * norm(x) + shortcut, and a ReLU.
struct NormTail {
  bool relu = false;
  at::Tensor shortcut = {};  // has x's shape; needs relu; undefined: none
  double gain = 1;
  bool fork = false;
};

// One value for two uses. With `fork`, fused_norm() returns two tensors that share memory: their
// gradients arrive at its node separately, which adds them in a pass that it makes anyway, so that
// autograd need not. Neither may be written into. Without `fork` both are the same tensor.
struct Fork {
  at::Tensor branch, shortcut;
};

// Whether fused_norm() accepts these: float, bf16 or double on a CPU, float, bf16 or fp16 on CUDA,
// in channels_last; evaluation only without gradients.
bool has_fused_norm(const at::Tensor& x, const NormState& state, const NormTail& tail);

// Differentiable once. Sums are in float, for double in double; how rows are divided and in which
// order they are added depends on the shape alone. Backward may write into its incoming gradients
// where nothing else uses them. What the node keeps goes through autograd's SavedVariable
// (checkpointed.h).
Fork fused_norm(const at::Tensor& x, const NormState& state, const NormTail& tail);

}  // namespace scalemark::workloads
