// Two steps of every classifier as one autograd node each, on a CPU: in a small model most of the
// time goes into the operators' bookkeeping, not into their arithmetic. Same formulas as ATen's.
#pragma once

#include <ATen/core/Tensor.h>

namespace scalemark::workloads {

// at::linear; one node instead of two for x [n, in] on a CPU outside autocast, ATen's otherwise.
// Differentiable once.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// Mean cross-entropy of float or double logits [n, classes] on a CPU with labels [n] (int64, each a
// class: else c10::Error): loss and gradient in one pass. Differentiable once.
at::Tensor mean_cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

// Whether mean_cross_entropy() takes these.
bool has_mean_cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace scalemark::workloads
