#include "workloads/residual_norm.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>
#include <utility>

#include "workloads/fast_dropout.h"
#include "workloads/row_kernels.h"

namespace scalemark::workloads {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

struct NormKept {
  at::Tensor sum, mean, rstd, bits;
};

struct NormGradients {
  at::Tensor of_x, of_residual, of_parameters;  // the last: of bias, weight and bias of the norm
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
    auto node = std::make_shared<ResidualNormBackward>();
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

}  // namespace scalemark::workloads
