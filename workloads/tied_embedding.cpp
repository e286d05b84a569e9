#include "workloads/tied_embedding.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

namespace scalemark::workloads {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Lookup : torch::autograd::Function<Lookup> {
  static variable_list forward(AutogradContext* context, const at::Tensor& weight,
                               const at::Tensor& ids) {
    context->set_materialize_grads(false);
    context->save_for_backward({ids});
    context->saved_data["vocabulary"] = weight.size(0);
    return {at::embedding(weight, ids), weight};
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor ids = context->get_saved_variables()[0].reshape({-1});
    at::Tensor& of_rows = gradients[0];
    at::Tensor of_table = std::move(gradients[1]);
    if (of_rows.defined()) {
      const std::int64_t features = of_rows.size(-1);
      if (!of_table.defined()) {
        of_table =
            at::zeros({context->saved_data["vocabulary"].toInt(), features}, of_rows.options());
      }
      // Only we use the gradient that the decoder's product makes, so rows are added in place; not
      // to one whose elements share memory (a broadcast sum).
      if (!of_table.is_non_overlapping_and_dense()) of_table = of_table.contiguous();
      const auto flat = of_rows.reshape({-1, features});
      of_table.index_add_(0, ids, flat.masked_fill(ids.eq(kPadToken).unsqueeze(1), 0));
    }
    return {std::move(of_table), at::Tensor()};
  }
};

}  // namespace

TiedEmbedding tied_embedding(const at::Tensor& weight, const at::Tensor& ids) {
  auto outputs = Lookup::apply(weight, ids);
  return {.rows = std::move(outputs[0]), .table = std::move(outputs[1])};
}

}  // namespace scalemark::workloads
