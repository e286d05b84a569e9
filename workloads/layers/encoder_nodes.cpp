#include "workloads/layers/encoder_nodes.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <tuple>
#include <utility>

#include "engine/torch/compat.h"
#include "workloads/layers/layer_operators.h"
#include "workloads/layers/row_kernels.h"

namespace scalemark::workloads {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

at::Tensor forward_by_rows(const at::Tensor& x, const at::Tensor& bias) {
  const Matrix matrix(x);
  auto y = at::empty_like(x);
  with_types(x.scalar_type(), [&](auto types) {
    using X = typename decltype(types)::X;
    using C = typename decltype(types)::C;
    const kernels::BiasGelu<X, C> rows{.x = pointer<X>(x),
                                       .bias = pointer<C>(bias),
                                       .y = pointer<X>(y),
                                       .columns = matrix.columns};
    for_rows(matrix, [&](std::int64_t begin, std::int64_t end) {
      types.kernels().bias_gelu(rows, begin, end);
    });
  });
  return y;
}

// Returns the gradients of x and of the bias.
std::tuple<at::Tensor, at::Tensor> backward_by_rows(const at::Tensor& of_y, const at::Tensor& x,
                                                    const at::Tensor& bias) {
  const Matrix matrix(x);
  at::Tensor of_x = at::empty_like(x), of_bias;
  with_types(x.scalar_type(), [&](auto types) {
    using X = typename decltype(types)::X;
    using C = typename decltype(types)::C;
    const kernels::BiasGeluGradient<X, C> rows{.of_y = pointer<X>(of_y),
                                               .x = pointer<X>(x),
                                               .bias = pointer<C>(bias),
                                               .of_x = pointer<X>(of_x),
                                               .columns = matrix.columns};
    of_bias = summed_over_rows(matrix, matrix.columns, bias.options(),
                               [&](void* partial, std::int64_t begin, std::int64_t end) {
                                 types.kernels().bias_gelu_gradient(rows, static_cast<C*>(partial),
                                                                    begin, end);
                               });
  });
  return {of_x, of_bias};
}

struct BiasGeluBackward final : torch::autograd::Node {
  SavedVariable x, bias;

  variable_list apply(variable_list&& gradients) override {
    if (!gradients[0].defined()) return variable_list(2);
    const at::Tensor in = x.unpack(), added = bias.unpack();
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const at::Tensor of_y = gradients[0].contiguous();
    const auto [of_x, of_bias] = has_layer_operators(in) ? bias_gelu_gradient_pass(of_y, in, added)
                                                         : backward_by_rows(of_y, in, added);
    return {of_x, of_bias};
  }
  void release_variables() override {
    x.reset_data();
    bias.reset_data();
  }
};

}  // namespace

at::Tensor bias_gelu(const at::Tensor& x, const at::Tensor& bias) {
  TORCH_CHECK(x.is_contiguous() && bias.scalar_type() == parameter_type(x.scalar_type()),
              "bias_gelu takes a dense product and a bias of the parameters' type");
  at::Tensor y;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    y = has_layer_operators(x) ? bias_gelu_pass(x, bias) : forward_by_rows(x, bias);
  }
  if (any_wants_gradient({x, bias})) {
    auto node = compat::make_node<BiasGeluBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(x, bias));
    node->x = SavedVariable(x, false);
    node->bias = SavedVariable(bias, false);
    torch::autograd::set_history(y, node);
  }
  return y;
}

namespace {

struct NormKept {
  at::Tensor sum, mean, rstd, bits;
};

struct NormGradients {
  // of_parameters holds the gradients of bias, and of the norm's weight and bias.
  at::Tensor of_x, of_residual, of_parameters;
};

at::Tensor norm_forward(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                        const NormParameters& norm, const kernels::Dropout& dropout,
                        const NormKept& kept) {
  const Matrix matrix(x);
  auto y = at::empty_like(residual);
  with_types(x.scalar_type(), [&](auto types) {
    using X = typename decltype(types)::X;
    using C = typename decltype(types)::C;
    const kernels::ResidualNorm<X, C> rows{.x = pointer<X>(x),
                                           .bias = pointer<C>(bias),
                                           .residual = pointer<C>(residual),
                                           .gamma = pointer<C>(norm.weight),
                                           .beta = pointer<C>(norm.bias),
                                           .sum = pointer<C>(kept.sum),
                                           .y = pointer<C>(y),
                                           .mean = pointer<C>(kept.mean),
                                           .rstd = pointer<C>(kept.rstd),
                                           .bits = pointer<std::uint32_t>(kept.bits),
                                           .columns = matrix.columns,
                                           .eps = norm.eps,
                                           .dropout = dropout};
    for_rows(matrix, [&](std::int64_t begin, std::int64_t end) {
      types.kernels().residual_norm(rows, begin, end);
    });
  });
  return y;
}

// Without dropout one tensor is the gradient of both, unless their types differ.
NormGradients norm_backward(const at::Tensor& of_y, const at::Tensor& weight,
                            at::ScalarType activation, double scale, const NormKept& kept) {
  const Matrix matrix(of_y);
  NormGradients result{.of_residual = at::empty_like(of_y)};
  const bool same = !kept.bits.defined() && activation == of_y.scalar_type();
  if (!same) result.of_x = at::empty_like(of_y, of_y.options().dtype(activation));
  with_types(activation, [&](auto types) {
    using X = typename decltype(types)::X;
    using C = typename decltype(types)::C;
    const kernels::ResidualNormGradient<X, C> rows{.of_y = pointer<C>(of_y),
                                                   .sum = pointer<C>(kept.sum),
                                                   .mean = pointer<C>(kept.mean),
                                                   .rstd = pointer<C>(kept.rstd),
                                                   .gamma = pointer<C>(weight),
                                                   .bits = pointer<std::uint32_t>(kept.bits),
                                                   .columns = matrix.columns,
                                                   .scale = scale,
                                                   .of_x = pointer<X>(result.of_x),
                                                   .of_residual = pointer<C>(result.of_residual)};
    result.of_parameters = summed_over_rows(
        matrix, 3 * matrix.columns, of_y.options(),
        [&](void* partial, std::int64_t begin, std::int64_t end) {
          types.kernels().residual_norm_gradient(rows, static_cast<C*>(partial), begin, end);
        });
  });
  if (same) result.of_x = result.of_residual;
  return result;
}

struct ResidualNormBackward final : torch::autograd::Node {
  SavedVariable sum, mean, rstd, bits, weight;
  at::ScalarType activation{};
  double scale = 1;

  variable_list apply(variable_list&& gradients) override {
    if (!gradients[0].defined()) return variable_list(5);
    const NormKept kept{
        .sum = sum.unpack(), .mean = mean.unpack(), .rstd = rstd.unpack(), .bits = bits.unpack()};
    const at::Tensor gamma = weight.unpack();
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const NormGradients found =
        norm_backward(gradients[0].contiguous(), gamma, activation, scale, kept);
    const std::int64_t n = found.of_parameters.size(0) / 3;
    const auto part = [&](std::int64_t i) { return found.of_parameters.narrow(0, i * n, n); };
    return {found.of_x, part(0), found.of_residual, part(1), part(2)};
  }
  void release_variables() override {
    for (auto* saved : {&sum, &mean, &rstd, &bits, &weight}) saved->reset_data();
  }
};

}  // namespace

at::Tensor residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                         const NormParameters& norm, double probability) {
  TORCH_CHECK(x.is_contiguous() && x.sizes() == residual.sizes() &&
                  residual.scalar_type() == parameter_type(x.scalar_type()),
              "residual_norm takes a dense product and a residual of its shape");
  const kernels::Dropout dropout = next_dropout(probability);
  const Matrix matrix(x);
  const auto statistics = residual.options();
  NormKept kept;
  at::Tensor y;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    kept = {
        .sum = x.scalar_type() == residual.scalar_type() ? x.detach() : at::empty_like(residual),
        .mean = at::empty({matrix.rows}, statistics),
        .rstd = at::empty({matrix.rows}, statistics),
        .bits = mask_for(dropout, matrix.rows, matrix.columns)};
    y = norm_forward(x, bias, residual.contiguous(), norm, dropout, kept);
  }
  if (any_wants_gradient({x, bias, residual, norm.weight, norm.bias})) {
    auto node = compat::make_node<ResidualNormBackward>();
    node->set_next_edges(
        torch::autograd::collect_next_edges(x, bias, residual, norm.weight, norm.bias));
    node->sum = SavedVariable(kept.sum, false);
    node->mean = SavedVariable(kept.mean, false);
    node->rstd = SavedVariable(kept.rstd, false);
    if (kept.bits.defined()) node->bits = SavedVariable(kept.bits, false);
    node->weight = SavedVariable(norm.weight, false);
    node->activation = x.scalar_type();
    node->scale = dropout.scale;
    torch::autograd::set_history(y, node);
  }
  return y;
}

namespace {

struct ForkedNormBackward final : torch::autograd::Node {
  SavedVariable sum, statistics, mask, weight;
  double dropout = 0;

  variable_list apply(variable_list&& gradients) override {
    if (!gradients[0].defined()) std::swap(gradients[0], gradients[1]);
    if (!gradients[0].defined()) return variable_list(5);
    const NormPass kept{
        .sum = sum.unpack(), .statistics = statistics.unpack(), .mask = mask.unpack()};
    const at::Tensor gamma = weight.unpack();
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const at::Tensor too = gradients[1].defined() ? gradients[1].contiguous() : at::Tensor();
    auto found = residual_norm_gradient_pass(gradients[0].contiguous(), too, kept, gamma, dropout);
    const auto part = [&](std::int64_t i) { return found.of_parameters.select(0, i); };
    return {found.of_x, part(0), found.of_residual, part(1), part(2)};
  }
  void release_variables() override {
    for (auto* saved : {&sum, &statistics, &mask, &weight}) saved->reset_data();
  }
};

}  // namespace

Fork forked_residual_norm(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                          const NormParameters& norm, double dropout) {
  TORCH_CHECK(x.is_contiguous() && x.sizes() == residual.sizes() &&
                  x.scalar_type() == residual.scalar_type() &&
                  bias.scalar_type() == parameter_type(x.scalar_type()),
              "forked_residual_norm takes a dense product and a residual of its shape and type");
  TORCH_CHECK(dropout >= 0 && dropout < 1 - 0x1p-17, "dropout of ", dropout);
  NormPass kept;
  Fork y;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    kept = residual_norm_pass(x, bias, residual.contiguous(), norm.weight, norm.bias, norm.eps,
                              dropout);
    y = {kept.y, at::alias(kept.y)};
    torch::autograd::impl::set_version_counter(y.shortcut,
                                               torch::autograd::impl::version_counter(y.branch));
  }
  if (any_wants_gradient({x, bias, residual, norm.weight, norm.bias})) {
    auto node = compat::make_node<ForkedNormBackward>();
    node->set_next_edges(
        torch::autograd::collect_next_edges(x, bias, residual, norm.weight, norm.bias));
    node->sum = SavedVariable(kept.sum, false);
    node->statistics = SavedVariable(kept.statistics, false);
    node->mask = SavedVariable(kept.mask, false);
    node->weight = SavedVariable(norm.weight, false);
    node->dropout = dropout;
    torch::autograd::set_history(y.branch, node);
    torch::autograd::set_history(y.shortcut, node);
  }
  return y;
}

}  // namespace scalemark::workloads
