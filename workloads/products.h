// Matrix products of linear layers on a device that has layer operators (layer_operators.h): the
// operands' type under autocast, one product where three layers read one input. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

namespace scalemark::workloads {

// The type that products of `x` are computed in: autocast's where it is on for x's device.
at::ScalarType product_type(const at::Tensor& x);

// `x` [..., in] times `weight` [out, in]', and `bias` [out] unless it is not defined, in
// product_type(x). Under autocast where has_layer_operators(x) one node, which casts `x` only if
// its type is another, and hands gradients of the parameters on in the parameters' type without
// rounding them to that of the product in between; at::linear otherwise. Differentiable once.
at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

struct Layer {
  const at::Tensor &weight, &bias;
};

// What three layers of one shape make of one input, where has_layer_operators(x): by one product
// over their weights, packed anew each time, and backward by two. The results share memory, row by
// row side by side. Differentiable once.
std::array<at::Tensor, 3> projections(const at::Tensor& x, const std::array<Layer, 3>& layers);

}  // namespace scalemark::workloads
