// The passes between a transformer's matrix products on a device that has kernels for them, as
// operators of torch's dispatcher, and those products. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <tuple>

namespace scalemark {

// An optional tensor, as torch's dispatcher takes it.
using MaybeTensor = std::optional<at::Tensor>;

inline MaybeTensor if_defined(const at::Tensor& tensor) {
  return tensor.defined() ? MaybeTensor(tensor) : std::nullopt;
}

}  // namespace scalemark

namespace scalemark::workloads {

// --- Operators of torch's dispatcher for the work between the matrix products of a transformer, as
// passes over memory without autograd. A plugin that has kernels for a device registers them
// (engine/cuda/layer_passes.h); the CPU's passes are no operators (row_kernels.h).
//
// X is the type of activations. C is the type of parameters, sums, statistics and arithmetic: float
// (double for double). All tensors are dense; rows are those of the last dimension.

// Whether there are operators for activations like `x` on its device: float, half or bfloat16.
bool has_layer_operators(const at::Tensor& x);

// Whether residual_norm_pass() is one of them for rows like those of `x`, which its kernels hold in
// registers.
bool has_norm_operator(const at::Tensor& x);

// Computes y = norm(sum) weight + norm_bias with sum = dropout(x + bias) + residual. Returns y,
// sum, statistics (mean and reciprocal deviation of each row, [2, rows]) and mask (undefined
// without dropout). `x`, `residual`, `y` and `sum` are in X. The mask is drawn from the device's
// generator, with the probability rounded to 2^-16.
struct NormPass {
  at::Tensor y, sum, statistics, mask;
};
NormPass residual_norm_pass(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                            const at::Tensor& weight, const at::Tensor& norm_bias, double eps,
                            double dropout);

// `of_y_too`, if defined, is the gradient from a second user of y and is added to `of_y`. Without
// dropout of_x and of_residual are one tensor. of_parameters [3, columns] holds those of bias,
// weight and norm_bias.
struct NormGradientPass {
  at::Tensor of_x, of_residual, of_parameters;
};
NormGradientPass residual_norm_gradient_pass(const at::Tensor& of_y, const at::Tensor& of_y_too,
                                             const NormPass& kept, const at::Tensor& weight,
                                             double dropout);

// The first computes gelu(x + bias), with erf; the second the gradients of x and bias.
at::Tensor bias_gelu_pass(const at::Tensor& x, const at::Tensor& bias);
std::tuple<at::Tensor, at::Tensor> bias_gelu_gradient_pass(const at::Tensor& of_y,
                                                           const at::Tensor& x,
                                                           const at::Tensor& bias);

// Returns three weights [out, in], and three biases, packed one after the other, in `type`.
std::tuple<at::Tensor, at::Tensor> pack_projections_pass(at::TensorList weights,
                                                         at::TensorList biases,
                                                         at::ScalarType type);

// Returns three matrices [rows, out] side by side, [rows, 3 out], and the sums of the columns, in
// C.
std::tuple<at::Tensor, at::Tensor> pack_gradients_pass(at::TensorList of_outputs);

// --- Matrix products of linear layers: the operands have autocast's type, and three layers with
// one input are one product.

// Returns the type in which products of `x` are computed: autocast's where it is on for x's device.
at::ScalarType product_type(const at::Tensor& x);

// Returns `x` [..., in] times `weight` [out, in]', plus `bias` [out] if it is defined, in
// product_type(x). Under autocast where has_layer_operators(x) this is one node, which casts `x`
// only if its type differs, and returns the parameters' gradients in the parameters' type without
// rounding them to the product's in between; otherwise at::linear. Differentiable once.
at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias = {});

struct Layer {
  const at::Tensor &weight, &bias;
};

// Applies three layers of one shape to one input, where has_layer_operators(x), by one product with
// their weights, which are packed anew each time; backward takes two products. The results share
// memory, side by side in each row. Differentiable once.
std::array<at::Tensor, 3> projections(const at::Tensor& x, const std::array<Layer, 3>& layers);

}  // namespace scalemark::workloads
