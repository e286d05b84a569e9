// A linear layer's bias and GELU as one autograd node. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

namespace scalemark::workloads {

// at::gelu(x + bias), with erf: `x` [..., features], dense, of float, double or bfloat16 on a CPU
// (row_kernels.h) or of a type that layer_operators.h has, `bias` [features] of the type that goes
// with it (parameter_type()). Differentiable once; its gradients do not depend on the number of
// threads. Errors of the approximation on a CPU: kernels/functions.inc.
at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias);

}  // namespace scalemark::workloads
