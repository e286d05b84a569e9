#include "workloads/bias_gelu.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>
#include <tuple>
#include <utility>

#include "workloads/layer_operators.h"
#include "workloads/row_kernels.h"

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

// Of x and of the bias.
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
    auto node = std::make_shared<BiasGeluBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(x, bias));
    node->x = SavedVariable(x, false);
    node->bias = SavedVariable(bias, false);
    torch::autograd::set_history(y, node);
  }
  return y;
}

}  // namespace scalemark::workloads
