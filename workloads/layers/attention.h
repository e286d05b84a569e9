// Attention with dropout as one autograd node on a CPU, and a note of the kernels, torch's or our
// own, that a network's attention uses. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalemark::workloads {

// Notes by which kernels the attention of one network is computed, once without a mask and once
// with one.
class AttentionChoices {
 public:
  // Asks torch for its choice.
  // Takes the arguments of the scaled_dot_product_attention call that follows.
  void note(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const std::optional<at::Tensor>& mask, double dropout);

  void note_own(const std::optional<at::Tensor>& mask);  // dropout_attention()

  std::vector<std::string> names() const;  // flash | efficient | cudnn | math | own, each once

 private:
  std::optional<std::string> without_mask_, with_mask_;
};

// Attention with dropout, for which torch has no kernel on a CPU: it would take a dozen passes over
// its matrices. For each of `heads`, whose features lie beside each other in `query`, `key` and
// `value` [n, s, features] (dense, all of float, bfloat16 or double): dropout(softmax(q k' /
// sqrt(features / heads) + mask)) v, in that layout again. `mask` [n, s] of the parameters' type is
// added to the scores of each key. Backward keeps the probabilities and a bit for each.
// Differentiable once.
at::Tensor dropout_attention(const at::Tensor& query, const at::Tensor& key,
                             const at::Tensor& value, const std::optional<at::Tensor>& mask,
                             std::int64_t heads, double dropout);

}  // namespace scalemark::workloads
