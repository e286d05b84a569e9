#include "workloads/forked_norm.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/alias.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>

#include "workloads/layer_operators.h"
#include "workloads/row_kernels.h"

namespace scalemark::workloads {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

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
    auto node = std::make_shared<ForkedNormBackward>();
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
