// Networks that assign one label to a sample: their common loss and evaluation, two of their steps
// as one autograd node each, and the small networks themselves.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/networks/network.h"

namespace scalemark::workloads {

// --- Two steps of every classifier as one autograd node each, on a CPU: in a small model most of
// the time is spent on the operators' bookkeeping, not on their arithmetic. The formulas are
// ATen's.

// at::linear, as one node instead of two for x [n, in] on a CPU outside autocast; else ATen's own.
// Differentiable once.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Returns the mean cross-entropy of float or double logits [n, classes] on a CPU with labels [n]
// (int64, each a class: else c10::Error). Loss and gradient take one pass. Differentiable once.
at::Tensor mean_cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

// Whether mean_cross_entropy() accepts these.
bool has_mean_cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

// Returns the mean cross-entropy; logits are [n, classes], labels i64 [n].
at::Tensor classification_loss(const at::Tensor& logits, const at::Tensor& labels,
                               double label_smoothing);

// Computes top-1 over the batch without its last `padding` samples, which repeat others.
EvaluationSums classification_sums(const at::Tensor& logits, const at::Tensor& labels,
                                   std::int64_t padding, double label_smoothing);

// Returns `features` in the dtype of `like`; the same tensor when it has that dtype already.
at::Tensor in_dtype_of(const at::Tensor& features, const at::Tensor& like);

}  // namespace scalemark::workloads
