#include "workloads/layers/attention.h"

#include <ATen/Context.h>
#include <ATen/SDPBackend.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "engine/torch/compat.h"
#include "workloads/layers/parallel.h"
#include "workloads/layers/row_kernels.h"

namespace scalemark::workloads {
namespace {

std::string name_of(std::int64_t choice) {
  switch (static_cast<at::SDPBackend>(choice)) {
    case at::SDPBackend::math:
      return "math";
    case at::SDPBackend::flash_attention:
      return "flash";
    case at::SDPBackend::efficient_attention:
      return "efficient";
    case at::SDPBackend::cudnn_attention:
      return "cudnn";
    default:
      return "other";
  }
}

}  // namespace

void AttentionChoices::note(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const std::optional<at::Tensor>& mask, double dropout) {
  std::optional<std::string>& choice = mask ? with_mask_ : without_mask_;
  if (choice) return;
  // Autocast casts the mask before it reaches the kernel.
  const auto used = mask ? std::optional(mask->to(query.scalar_type())) : std::nullopt;
  choice = name_of(at::_fused_sdp_choice(query, key, value, used, dropout));
}

void AttentionChoices::note_own(const std::optional<at::Tensor>& mask) {
  (mask ? with_mask_ : without_mask_) = "own";
}

std::vector<std::string> AttentionChoices::names() const {
  std::set<std::string> names;
  for (const auto& choice : {without_mask_, with_mask_}) {
    if (choice) names.insert(*choice);
  }
  return {names.begin(), names.end()};
}

namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// The heads of all samples, one after the other. One thread computes a head, so that the matrices
// of one head stay in its cache.
struct HeadLayout {
  HeadLayout(const at::Tensor& query, std::int64_t heads)
      : per_sample(heads),
        length(query.size(1)),
        features(query.size(2)),
        count(query.size(0) * heads),
        width(features / heads),
        factor(1 / std::sqrt(static_cast<double>(width))) {}

  // Returns one head's part of a tensor [n, length, features] as a view [length, width].
  at::Tensor of(const at::Tensor& tensor, std::int64_t head) const {
    return at::as_strided(tensor, {length, width}, {features, 1},
                          head / per_sample * length * features + head % per_sample * width);
  }

  void for_each(const std::function<void(std::int64_t begin, std::int64_t end)>& body) const {
    parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
      const at::AutoDispatchBelowADInplaceOrView below_autograd;  // the mode is per thread
      body(begin, end);
    });
  }

  std::int64_t per_sample, length, features, count, width;
  double factor;
};

struct HeadTensors {
  at::Tensor query, key, value;
};

struct AttentionKept {
  at::Tensor probabilities, bits;  // [heads, s, s] and [heads, s, words]
};

template <class T>
void softmax_of_head(const HeadLayout& heads, std::int64_t head, const AttentionKept& kept,
                     const at::Tensor& dropped, const at::Tensor& mask, const at::Tensor& scratch,
                     const kernels::Dropout& dropout, T types) {
  using X = typename T::X;
  using C = typename T::C;
  const std::int64_t s = heads.length, first = head * s;
  types.kernels().softmax_dropout(
      {.scores = pointer<X>(kept.probabilities) + first * s,
       .kept = pointer<X>(dropped),
       .added = mask.defined() ? pointer<C>(mask) + head / heads.per_sample * s : nullptr,
       .scratch = pointer<C>(scratch),
       .bits = pointer<std::uint32_t>(kept.bits) + first * kernels::mask_words(s),
       .first_mask_row = first,
       .columns = s,
       .factor = heads.factor,
       .dropout = dropout},
      0, s);
}

at::Tensor attention_forward(const HeadLayout& heads, const HeadTensors& in, const at::Tensor& mask,
                             const kernels::Dropout& dropout, const AttentionKept& kept) {
  const std::int64_t s = heads.length;
  const auto type = in.query.scalar_type();
  auto result = at::empty_like(in.query);
  heads.for_each([&](std::int64_t begin, std::int64_t end) {
    const auto dropped = at::empty({s, s}, in.query.options());
    const auto scratch = at::empty({s}, in.query.options().dtype(parameter_type(type)));
    for (std::int64_t head = begin; head < end; ++head) {
      auto scores = kept.probabilities.select(0, head);
      at::mm_out(scores, heads.of(in.query, head), heads.of(in.key, head).t());
      with_types(type, [&](auto types) {
        softmax_of_head(heads, head, kept, dropped, mask, scratch, dropout, types);
      });
      auto attended = heads.of(result, head);
      at::mm_out(attended, dropped, heads.of(in.value, head));
    }
  });
  return result;
}

template <class T>
void softmax_gradient_of_head(const HeadLayout& heads, std::int64_t head, const AttentionKept& kept,
                              const at::Tensor& gradient, const at::Tensor& dropped, double scale,
                              T types) {
  using X = typename T::X;
  const std::int64_t s = heads.length, first = head * s;
  types.kernels().softmax_dropout_gradient(
      {.probabilities = pointer<X>(kept.probabilities) + first * s,
       .gradient = pointer<X>(gradient),
       .kept = pointer<X>(dropped),
       .bits = pointer<std::uint32_t>(kept.bits) + first * kernels::mask_words(s),
       .columns = s,
       .factor = heads.factor,
       .scale = scale},
      0, s);
}

HeadTensors attention_backward(const HeadLayout& heads, const at::Tensor& of_result,
                               const HeadTensors& in, const AttentionKept& kept, double scale) {
  const std::int64_t s = heads.length;
  const HeadTensors of{at::empty_like(in.query), at::empty_like(in.key), at::empty_like(in.value)};
  heads.for_each([&](std::int64_t begin, std::int64_t end) {
    auto gradient = at::empty({s, s}, in.query.options());
    const auto dropped = at::empty({s, s}, in.query.options());
    for (std::int64_t head = begin; head < end; ++head) {
      const auto of_attended = heads.of(of_result, head);
      at::mm_out(gradient, of_attended, heads.of(in.value, head).t());
      with_types(in.query.scalar_type(), [&](auto types) {
        softmax_gradient_of_head(heads, head, kept, gradient, dropped, scale, types);
      });
      auto of_query = heads.of(of.query, head), of_key = heads.of(of.key, head),
           of_value = heads.of(of.value, head);
      at::mm_out(of_value, dropped.t(), of_attended);
      at::mm_out(of_query, gradient, heads.of(in.key, head));
      at::mm_out(of_key, gradient.t(), heads.of(in.query, head));
    }
  });
  return of;
}

struct DropoutAttentionBackward final : torch::autograd::Node {
  SavedVariable query, key, value, probabilities, bits;
  std::int64_t heads = 1;
  double scale = 1;

  variable_list apply(variable_list&& gradients) override {
    if (!gradients[0].defined()) return variable_list(3);
    const HeadTensors in{query.unpack(), key.unpack(), value.unpack()};
    const AttentionKept kept{probabilities.unpack(), bits.unpack()};
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    auto of =
        attention_backward(HeadLayout(in.query, heads), gradients[0].contiguous(), in, kept, scale);
    return {std::move(of.query), std::move(of.key), std::move(of.value)};
  }
  void release_variables() override {
    for (auto* saved : {&query, &key, &value, &probabilities, &bits}) saved->reset_data();
  }
};

}  // namespace

at::Tensor dropout_attention(const at::Tensor& query, const at::Tensor& key,
                             const at::Tensor& value, const std::optional<at::Tensor>& mask,
                             std::int64_t head_count, double probability) {
  TORCH_CHECK(query.is_contiguous() && key.is_contiguous() && value.is_contiguous(),
              "dropout_attention takes dense query, key and value");
  const HeadLayout heads(query, head_count);
  const std::int64_t s = heads.length;
  const kernels::Dropout dropout = next_dropout(probability);
  AttentionKept kept;
  at::Tensor result;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    kept = {.probabilities = at::empty({heads.count, s, s}, query.options()),
            .bits = at::empty({heads.count, s, kernels::mask_words(s)}, at::kInt)};
    result = attention_forward(heads, {query, key, value}, mask ? mask->contiguous() : at::Tensor(),
                               dropout, kept);
  }
  if (any_wants_gradient({query, key, value})) {
    auto node = compat::make_node<DropoutAttentionBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(query, key, value));
    node->query = SavedVariable(query, false);
    node->key = SavedVariable(key, false);
    node->value = SavedVariable(value, false);
    node->probabilities = SavedVariable(kept.probabilities, false);
    node->bits = SavedVariable(kept.bits, false);
    node->heads = head_count;
    node->scale = dropout.scale;
    torch::autograd::set_history(result, node);
  }
  return result;
}

}  // namespace scalemark::workloads
