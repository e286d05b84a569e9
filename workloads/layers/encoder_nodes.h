// The autograd nodes of a transformer layer between its matrix products: bias and GELU, and the
// steps from a product to the layer norm of a sum. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/layers/fused_norm.h"

namespace scalemark::workloads {

// Computes at::gelu(x + bias), with erf. `x` [..., features] is dense: float, double or bfloat16 on
// a CPU (row_kernels.h), or a type of layer_operators.h; `bias` [features] has the matching type
// (parameter_type()). Differentiable once; its gradients do not depend on the number of threads.
// Errors of the approximation on a CPU: kernels/lanes.inc.
at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias);

// --- The node after the matrix product that ends each half of a transformer layer.

struct NormParameters {
  const at::Tensor &weight, &bias;  // [features]
  double eps;
};

// Computes layer_norm(dropout(x + bias) + residual) on a CPU, where has_row_kernels(residual). `x`
// [..., features] is a product that nothing else uses and no node keeps, as it may be overwritten;
// it may have lower precision than the rest. `bias` is [features], `residual` has the shape of `x`,
// and all are dense. Backward reads one activation and, with dropout, one bit per element.
// Differentiable once; its gradients do not depend on the number of threads.
at::Tensor residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                         const NormParameters& norm, double dropout);

// residual_norm() on a device that has layer operators, where has_norm_operator(x). `x`, `residual`
// and the result have one type, parameters are in float: the stream of residuals may be in half
// precision while statistics are in float. The result is two tensors that share memory, for the
// next layer's branch and its shortcut: their gradients arrive at this node separately and are
// added in a pass that it makes anyway. Neither tensor may be written into. Backward reads the sum,
// rounded, and with dropout a bit per element. Differentiable once; repeats bit by bit on one model
// of device.
Fork forked_residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                          const NormParameters& norm, double dropout);

}  // namespace scalemark::workloads
