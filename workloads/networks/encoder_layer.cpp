#include "workloads/networks/encoder_layer.h"

#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "workloads/layers/attention.h"
#include "workloads/layers/encoder_nodes.h"
#include "workloads/layers/layer_operators.h"
#include "workloads/layers/row_kernels.h"
#include "workloads/layers/weight_copies.h"

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
      // The gradient that the decoder's product makes is used only here, so rows are added in
      // place, unless its elements share memory (a broadcast sum).
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

namespace {

// Adds `x` (after dropout) to `residual` and normalises: "attention.output" and "output".
struct ResidualOutput : torch::nn::Module {
  ResidualOutput(std::int64_t in, const EncoderSizes& sizes)
      : linear(register_module("dense", bert_linear(in, sizes.transformer.hidden))),
        norm(register_module(
            "LayerNorm", std::make_shared<LayerNorm>(sizes.transformer.hidden, kBertLayerNormEps))),
        dropout(sizes.dropout),
        fused(sizes.fused) {}

  Fork forward(const at::Tensor& x, const at::Tensor& residual) const {
    const double share = is_training() ? dropout : 0;
    const NormParameters parameters{norm->weight, norm->bias, norm->eps};
    if (fused && has_norm_operator(residual)) {
      return forked_residual_norm(product(x, linear->weight), linear->bias, residual, parameters,
                                  share);
    }
    const auto y = fused && has_row_kernels(residual)
                       ? residual_norm(at::linear(x, weight_copy(linear->weight)), linear->bias,
                                       residual, parameters, share)
                       : by_torch(x, residual, share);
    return {y, y};
  }

  at::Tensor by_torch(const at::Tensor& x, const at::Tensor& residual, double share) const {
    auto y = linear->forward(x);
    if (share > 0) y = at::dropout(y, share, true);
    // Under autocast `y` has lower precision than the residual and cannot take the sum in place.
    return norm->forward(y.scalar_type() == residual.scalar_type() ? y.add_(residual)
                                                                   : y + residual);
  }

  std::shared_ptr<Linear> linear;
  std::shared_ptr<LayerNorm> norm;
  double dropout;
  bool fused;
};

struct SelfAttention : torch::nn::Module {
  explicit SelfAttention(const EncoderSizes& sizes)
      : query(register_module("query",
                              bert_linear(sizes.transformer.hidden, sizes.transformer.hidden))),
        key(register_module("key",
                            bert_linear(sizes.transformer.hidden, sizes.transformer.hidden))),
        value(register_module("value",
                              bert_linear(sizes.transformer.hidden, sizes.transformer.hidden))),
        heads(sizes.transformer.heads),
        dropout(sizes.dropout),
        fused(sizes.fused),
        choices(sizes.choices) {}

  at::Tensor forward(const at::Tensor& x, const std::optional<at::Tensor>& mask) const {
    const double share = is_training() ? dropout : 0;
    if (fused && has_layer_operators(x)) {
      const auto [q, k, v] =
          projections(x, {Layer{query->weight, query->bias}, Layer{key->weight, key->bias},
                          Layer{value->weight, value->bias}});
      return by_torch(by_head(q), by_head(k), by_head(v), mask, share).reshape(x.sizes());
    }
    const auto q = query->forward(x), k = key->forward(x), v = value->forward(x);
    if (fused && share > 0 && has_row_kernels(x)) {
      choices->note_own(mask);
      const auto of_keys = mask ? std::optional(mask->view({x.size(0), x.size(1)})) : std::nullopt;
      return dropout_attention(q, k, v, of_keys, heads, share);
    }
    return by_torch(by_head(q), by_head(k), by_head(v), mask, share).reshape(x.sizes());
  }

  // q, k and v are [n, s, heads, h / heads].
  at::Tensor by_torch(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                      const std::optional<at::Tensor>& mask, double share) const {
    if (is_training()) choices->note(q, k, v, mask, dropout);
    return at::scaled_dot_product_attention(q, k, v, mask, share).transpose(1, 2);
  }

  at::Tensor by_head(const at::Tensor& x) const {  // [n, s, h] -> [n, heads, s, h / heads]
    return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
  }

  std::shared_ptr<Linear> query, key, value;
  std::int64_t heads;
  double dropout;
  bool fused;
  std::shared_ptr<AttentionChoices> choices;
};

struct Attention : torch::nn::Module {
  explicit Attention(const EncoderSizes& sizes)
      : self(register_module("self", std::make_shared<SelfAttention>(sizes))),
        output(register_module(
            "output", std::make_shared<ResidualOutput>(sizes.transformer.hidden, sizes))) {}

  std::shared_ptr<SelfAttention> self;
  std::shared_ptr<ResidualOutput> output;
};

struct Intermediate : torch::nn::Module {
  explicit Intermediate(const EncoderSizes& sizes)
      : linear(register_module(
            "dense", bert_linear(sizes.transformer.hidden, sizes.transformer.feed_forward))),
        fused(sizes.fused) {}

  at::Tensor forward(const at::Tensor& x) const { return gelu_of(*linear, x, fused); }

  std::shared_ptr<Linear> linear;
  bool fused;
};

struct BertLayer final : EncoderLayer {
  explicit BertLayer(const EncoderSizes& sizes)
      : attention(register_module("attention", std::make_shared<Attention>(sizes))),
        intermediate(register_module("intermediate", std::make_shared<Intermediate>(sizes))),
        output(register_module(
            "output", std::make_shared<ResidualOutput>(sizes.transformer.feed_forward, sizes))) {}

  Fork forward(const Fork& x, const std::optional<at::Tensor>& mask) const override {
    const Fork attended =
        attention->output->forward(attention->self->forward(x.branch, mask), x.shortcut);
    return output->forward(intermediate->forward(attended.branch), attended.shortcut);
  }

  std::shared_ptr<Attention> attention;
  std::shared_ptr<Intermediate> intermediate;
  std::shared_ptr<ResidualOutput> output;
};

}  // namespace

std::shared_ptr<EncoderLayer> make_encoder_layer(const EncoderSizes& sizes) {
  return std::make_shared<BertLayer>(sizes);
}

std::shared_ptr<Linear> bert_linear(std::int64_t in, std::int64_t out) {
  auto layer = std::make_shared<Linear>(in, out);
  layer->weight.detach().normal_(0, kBertInitialDeviation);
  layer->bias.detach().zero_();
  return layer;
}

at::Tensor gelu_of(const Linear& linear, const at::Tensor& x, bool fused) {
  if (fused && has_layer_operators(x)) return bias_gelu(product(x, linear.weight), linear.bias);
  if (fused && has_row_kernels(x)) {
    return bias_gelu(at::linear(x, weight_copy(linear.weight)), linear.bias);
  }
  return at::gelu(linear.forward(x));
}

at::Tensor linear_of(const Linear& linear, const at::Tensor& x, bool fused) {
  return fused && has_layer_operators(x) ? product(x, linear.weight, linear.bias)
                                         : linear.forward(x);
}

at::Tensor stream_of(const at::Tensor& x, bool fused) {
  return fused && has_layer_operators(x) ? x.to(product_type(x)) : x;
}

at::Tensor dropped(const at::Tensor& x, double dropout, bool fused) {
  if (dropout == 0) return x;
  const bool by_rows = fused && !has_layer_operators(x) && has_row_kernels(x);
  return by_rows ? fast_dropout(x, dropout) : at::dropout(x, dropout, true);
}

}  // namespace scalemark::workloads
