#include "workloads/layers/layer_operators.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/torch/compat.h"
#include "workloads/layers/row_kernels.h"
#include "workloads/layers/weight_copies.h"

namespace scalemark::workloads {
namespace {

constexpr std::int64_t kMostColumns = 1024;  // kMostNormColumns of engine/cuda/residual_norm.cuh

using Two = std::tuple<at::Tensor, at::Tensor>;
using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using Four = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

c10::OperatorHandle find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

bool is_activation(at::ScalarType type) {
  return type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(scalemark, library) {
  library.def(
      "residual_norm(Tensor x, Tensor bias, Tensor residual, Tensor weight, Tensor norm_bias, "
      "float eps, float dropout) -> (Tensor, Tensor, Tensor, Tensor)");
  library.def(
      "residual_norm_gradient(Tensor of_y, Tensor? of_y_too, Tensor sum, Tensor statistics, "
      "Tensor? mask, Tensor weight, float dropout) -> (Tensor, Tensor, Tensor)");
  library.def("bias_gelu(Tensor x, Tensor bias) -> Tensor");
  library.def("bias_gelu_gradient(Tensor of_y, Tensor x, Tensor bias) -> (Tensor, Tensor)");
  library.def(
      "pack_projections(Tensor[] weights, Tensor[] biases, ScalarType dtype) -> (Tensor, Tensor)");
  library.def("pack_gradients(Tensor[] of_outputs) -> (Tensor, Tensor)");
}

bool has_layer_operators(const at::Tensor& x) {
  static const auto kOperator = find("scalemark::residual_norm");
  if (!(x.is_cuda() || x.is_cpu()) || x.dim() == 0) return false;
  // The kernels' tests also compute in double, on a CPU.
  const bool has_type =
      is_activation(x.scalar_type()) || (x.is_cpu() && x.scalar_type() == at::kDouble);
  return has_type && kOperator.hasKernelForDispatchKey(x.is_cuda() ? c10::DispatchKey::CUDA
                                                                   : c10::DispatchKey::CPU);
}

bool has_norm_operator(const at::Tensor& x) {
  return has_layer_operators(x) && x.size(-1) <= kMostColumns;
}

NormPass residual_norm_pass(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                            const at::Tensor& weight, const at::Tensor& norm_bias, double eps,
                            double dropout) {
  static const auto kOperator =
      find("scalemark::residual_norm")
          .typed<Four(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                      const at::Tensor&, double, double)>();
  auto [y, sum, statistics, mask] =
      kOperator.call(x, bias, residual, weight, norm_bias, eps, dropout);
  return {.y = y, .sum = sum, .statistics = statistics, .mask = mask};
}

NormGradientPass residual_norm_gradient_pass(const at::Tensor& of_y, const at::Tensor& of_y_too,
                                             const NormPass& kept, const at::Tensor& weight,
                                             double dropout) {
  static const auto kOperator =
      find("scalemark::residual_norm_gradient")
          .typed<Three(const at::Tensor&, const MaybeTensor&, const at::Tensor&, const at::Tensor&,
                       const MaybeTensor&, const at::Tensor&, double)>();
  auto [of_x, of_residual, of_parameters] =
      kOperator.call(of_y, if_defined(of_y_too), kept.sum, kept.statistics, if_defined(kept.mask),
                     weight, dropout);
  return {.of_x = of_x, .of_residual = of_residual, .of_parameters = of_parameters};
}

at::Tensor bias_gelu_pass(const at::Tensor& x, const at::Tensor& bias) {
  static const auto kOperator =
      find("scalemark::bias_gelu").typed<at::Tensor(const at::Tensor&, const at::Tensor&)>();
  return kOperator.call(x, bias);
}

std::tuple<at::Tensor, at::Tensor> bias_gelu_gradient_pass(const at::Tensor& of_y,
                                                           const at::Tensor& x,
                                                           const at::Tensor& bias) {
  static const auto kOperator =
      find("scalemark::bias_gelu_gradient")
          .typed<Two(const at::Tensor&, const at::Tensor&, const at::Tensor&)>();
  return kOperator.call(of_y, x, bias);
}

std::tuple<at::Tensor, at::Tensor> pack_projections_pass(at::TensorList weights,
                                                         at::TensorList biases,
                                                         at::ScalarType type) {
  static const auto kOperator = find("scalemark::pack_projections")
                                    .typed<Two(at::TensorList, at::TensorList, at::ScalarType)>();
  return kOperator.call(weights, biases, type);
}

std::tuple<at::Tensor, at::Tensor> pack_gradients_pass(at::TensorList of_outputs) {
  static const auto kOperator = find("scalemark::pack_gradients").typed<Two(at::TensorList)>();
  return kOperator.call(of_outputs);
}

namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// Operators run in the types that they are given, without autocast and autograd.
struct PlainScope {
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  c10::impl::ExcludeDispatchKeyGuard no_autocast{c10::autocast_dispatch_keyset};
};

bool has_autocast(const at::Tensor& x) {
  return at::autocast::is_autocast_enabled(x.device().type());
}

at::Tensor as_matrix(const at::Tensor& x) { return x.reshape({-1, x.size(-1)}); }

at::Tensor shaped_like(const at::Tensor& matrix, const at::Tensor& x) {
  auto sizes = x.sizes().vec();
  sizes.back() = matrix.size(-1);
  return matrix.view(sizes);
}

// Returns the product of two matrices in the type of sums (float for half precision), unrounded.
at::Tensor unrounded_product(const at::Tensor& a, const at::Tensor& b) {
  const auto type = parameter_type(a.scalar_type());
  if (type == a.scalar_type()) return at::mm(a, b);
  return a.is_cuda() ? at::mm(a, b, type) : at::mm(a.to(type), b.to(type));
}

// Returns the gradients of bias, x and weight, in the order of at::linear's nodes.
struct ProductBackward final : torch::autograd::Node {
  SavedVariable x, weight;  // both have the product's type

  variable_list apply(variable_list&& gradients) override {
    if (!gradients[0].defined()) return variable_list(3);
    const at::Tensor in = x.unpack(), factor = weight.unpack();
    const PlainScope plain;
    const at::Tensor of_y = as_matrix(gradients[0]);
    variable_list result(3);
    if (task_should_compute_output(0)) {
      result[0] = at::sum(of_y, {0}, /*keepdim=*/false, parameter_type(of_y.scalar_type()));
    }
    if (task_should_compute_output(1)) result[1] = shaped_like(at::mm(of_y, factor), in);
    if (task_should_compute_output(2)) result[2] = unrounded_product(of_y.t(), as_matrix(in));
    return result;
  }
  void release_variables() override {
    x.reset_data();
    weight.reset_data();
  }
};

struct ProjectionsBackward final : torch::autograd::Node {
  SavedVariable x, weight;  // weight is the packed one

  variable_list apply(variable_list&& gradients) override {
    const auto given = std::find_if(gradients.begin(), gradients.end(),
                                    [](const at::Tensor& tensor) { return tensor.defined(); });
    if (given == gradients.end()) return variable_list(7);
    const at::Tensor in = x.unpack(), packed = weight.unpack();
    const PlainScope plain;
    std::vector<at::Tensor> dense;
    for (const at::Tensor& gradient : gradients) {
      dense.push_back(gradient.defined() ? gradient.contiguous()
                                         : at::zeros_like(*given, at::MemoryFormat::Contiguous));
    }
    const auto [of_y, of_biases] = pack_gradients_pass(dense);
    variable_list result(7);
    if (task_should_compute_output(0)) result[0] = shaped_like(at::mm(of_y, packed), in);
    const auto of_weights = unrounded_product(of_y.t(), as_matrix(in));
    const std::int64_t out = packed.size(0) / 3;
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto first = static_cast<std::size_t>(1 + 2 * i);
      result[first] = of_weights.narrow(0, i * out, out);
      result[first + 1] = of_biases.narrow(0, i * out, out);
    }
    return result;
  }
  void release_variables() override {
    x.reset_data();
    weight.reset_data();
  }
};

}  // namespace

at::ScalarType product_type(const at::Tensor& x) {
  return has_autocast(x) ? at::autocast::get_autocast_dtype(x.device().type()) : x.scalar_type();
}

at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!has_autocast(x) || !has_layer_operators(x)) return at::linear(x, weight, bias);
  const auto type = product_type(x);
  const at::Tensor in = x.to(type), factor = cast_weight(weight, type);
  const at::Tensor summand = bias.defined() ? cast_weight(bias, type) : bias;
  at::Tensor y;
  {
    const PlainScope plain;
    const auto matrix = as_matrix(in);
    y = shaped_like(
        bias.defined() ? at::addmm(summand, matrix, factor.t()) : at::mm(matrix, factor.t()), in);
  }
  if (any_wants_gradient({in, weight, bias})) {
    auto node = compat::make_node<ProductBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(bias, in, weight));
    node->x = SavedVariable(in, false);
    node->weight = SavedVariable(factor, false);
    torch::autograd::set_history(y, node);
  }
  return y;
}

std::array<at::Tensor, 3> projections(const at::Tensor& x, const std::array<Layer, 3>& layers) {
  const auto& [a, b, c] = layers;
  const auto type = product_type(x);
  const at::Tensor in = x.to(type);
  at::Tensor packed;
  std::array<at::Tensor, 3> results;
  {
    const PlainScope plain;
    at::Tensor bias;
    std::tie(packed, bias) =
        pack_projections_pass({a.weight, b.weight, c.weight}, {a.bias, b.bias, c.bias}, type);
    const auto y = shaped_like(at::addmm(bias, as_matrix(in), packed.t()), in);
    const std::int64_t out = packed.size(0) / 3;
    for (std::size_t i = 0; i < 3; ++i) {
      results[i] = y.narrow(-1, static_cast<std::int64_t>(i) * out, out);
    }
  }
  if (any_wants_gradient({in, a.weight, a.bias, b.weight, b.bias, c.weight, c.bias})) {
    auto node = compat::make_node<ProjectionsBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(in, a.weight, a.bias, b.weight, b.bias,
                                                             c.weight, c.bias));
    node->x = SavedVariable(in, false);
    node->weight = SavedVariable(packed, false);
    for (at::Tensor& result : results) torch::autograd::set_history(result, node);
  }
  return results;
}

}  // namespace scalemark::workloads
