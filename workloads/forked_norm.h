// residual_norm.h's operation on a device that has layer operators, with an output for each of its
// two users. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/fused_norm.h"
#include "workloads/residual_norm.h"

namespace scalemark::workloads {

// layer_norm(dropout(x + bias) + residual) where has_norm_operator(x), with `x`, `residual` and
// the result of one type, parameters in float: a stream of residuals in half precision, statistics
// in float. Two tensors with one memory, for the next layer's branch and its shortcut: their
// gradients come to this node apart and are added in a pass that it makes anyway. Neither may be
// written into. Backward reads the sum, rounded, and with dropout a bit per element. Differentiable
// once; repeats bit by bit on one model of device.
Fork forked_residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                          const NormParameters& norm, double dropout);

}  // namespace scalemark::workloads
