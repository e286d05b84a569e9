// The autograd nodes of a transformer layer between its matrix products: bias and GELU, and what
// ends in the layer norm of a sum. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/layers/fused_norm.h"

namespace scalemark::workloads {

// at::gelu(x + bias), with erf: `x` [..., features], dense, of float, double or bfloat16 on a CPU
// (row_kernels.h) or of a type that layer_operators.h has, `bias` [features] of the type that goes
// with it (parameter_type()). Differentiable once; its gradients do not depend on the number of
// threads. Errors of the approximation on a CPU: kernels/lanes.inc.
at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias);

// The node behind the matrix product that ends each half of a transformer layer, on a CPU.

struct NormParameters {
  const at::Tensor &weight, &bias;  // [features]
  double eps;
};

// layer_norm(dropout(x + bias) + residual): `x` [..., features], a product that nobody else uses
// and no node keeps (it may be overwritten), `bias` [features] and `residual` as `x`, all dense,
// where has_row_kernels(residual). `x` may be of lower precision than the rest. Backward reads one
// activation and, with dropout, one bit per element. Differentiable once; its gradients do not
// depend on the number of threads.
at::Tensor residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                         const NormParameters& norm, double dropout);

// residual_norm() on a device that has layer operators, with an output for each of its two users:
// layer_norm(dropout(x + bias) + residual) where has_norm_operator(x), with `x`, `residual` and the
// result of one type, parameters in float: a stream of residuals in half precision, statistics in
// float. Two tensors with one memory, for the next layer's branch and its shortcut: their gradients
// come to this node apart and are added in a pass that it makes anyway. Neither may be written
// into. Backward reads the sum, rounded, and with dropout a bit per element. Differentiable once;
// repeats bit by bit on one model of device.
Fork forked_residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                          const NormParameters& norm, double dropout);

}  // namespace scalemark::workloads
