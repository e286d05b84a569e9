// A transformer computes with these on a device that has kernels for it: the passes between its
// matrix products, as operators of torch's dispatcher, and those products. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <tuple>

namespace scalemark {

// A tensor that may be left out, as torch's dispatcher takes it.
using MaybeTensor = std::optional<at::Tensor>;

inline MaybeTensor if_defined(const at::Tensor& tensor) {
  return tensor.defined() ? MaybeTensor(tensor) : std::nullopt;
}

}  // namespace scalemark

namespace scalemark::workloads {

// Operators of torch's dispatcher do the work between the matrix products of a transformer: they
// are passes over memory without autograd. A plugin that has kernels for a device registers
// them (engine/cuda/layer_passes.h); a CPU's passes are not behind operators
// (row_kernels.h).
//
// X is the type of activations, C that of parameters, sums and statistics, and what is computed in:
// float (double for double). All tensors are dense, rows are those of the last dimension.

// Whether there are some for activations like `x` on its device: of float, half or bfloat16.
bool has_layer_operators(const at::Tensor& x);

// Whether residual_norm_pass() is among them for rows like those of `x`, which its kernels hold in
// registers.
bool has_norm_operator(const at::Tensor& x);

// y = norm(sum) weight + norm_bias with sum = dropout(x + bias) + residual: y, sum, statistics
// (mean and reciprocal deviation of each row, [2, rows]), mask (not defined without dropout). `x`,
// `residual`, `y`, `sum` in X. A mask is drawn from the device's generator, with the probability
// rounded to 2^-16.
struct NormPass {
  at::Tensor y, sum, statistics, mask;
};
NormPass residual_norm_pass(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                            const at::Tensor& weight, const at::Tensor& norm_bias, double eps,
                            double dropout);

// `of_y_too`, if defined, is added to `of_y`: what two users of y give back. Without dropout of_x
// and of_residual are one tensor. of_parameters [3, columns]: of bias, weight and norm_bias.
struct NormGradientPass {
  at::Tensor of_x, of_residual, of_parameters;
};
NormGradientPass residual_norm_gradient_pass(const at::Tensor& of_y, const at::Tensor& of_y_too,
                                             const NormPass& kept, const at::Tensor& weight,
                                             double dropout);

// gelu(x + bias), with erf; then the gradients of x and bias.
at::Tensor bias_gelu_pass(const at::Tensor& x, const at::Tensor& bias);
std::tuple<at::Tensor, at::Tensor> bias_gelu_gradient_pass(const at::Tensor& of_y,
                                                           const at::Tensor& x,
                                                           const at::Tensor& bias);

// Three weights [out, in] and their biases below each other, in `type`.
std::tuple<at::Tensor, at::Tensor> pack_projections_pass(at::TensorList weights,
                                                         at::TensorList biases,
                                                         at::ScalarType type);

// Three matrices [rows, out] side by side, [rows, 3 out], and the sums of its columns, in C.
std::tuple<at::Tensor, at::Tensor> pack_gradients_pass(at::TensorList of_outputs);

// Matrix products of linear layers: the operands' type under autocast, one product where three
// layers read one input.

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

// Applies three layers of one shape to one input, where has_layer_operators(x): one product over
// their weights, packed anew each time, computes them, and two compute backward. The results share
// memory, row by row side by side. Differentiable once.
std::array<at::Tensor, 3> projections(const at::Tensor& x, const std::array<Layer, 3>& layers);

}  // namespace scalemark::workloads
