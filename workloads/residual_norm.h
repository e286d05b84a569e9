// What follows the matrix product at the end of each half of a transformer layer, as one autograd
// node on a CPU. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

namespace scalemark::workloads {

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

}  // namespace scalemark::workloads
