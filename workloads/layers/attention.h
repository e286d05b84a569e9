// Attention with dropout as one autograd node on a CPU, and a record of the kernels, torch's or our
// own, that a network's attention uses. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalemark::workloads {

// Records the kernels that compute the attention of one network, once without a mask and once with
// one.
class AttentionChoices {
 public:
  // Asks torch for its choice. The arguments are those of the scaled_dot_product_attention call
  // that follows.
  void note(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const std::optional<at::Tensor>& mask, double dropout);

  void note_own(const std::optional<at::Tensor>& mask);  // dropout_attention()

  std::vector<std::string> names() const;  // flash | efficient | cudnn | math | own, each once

 private:
  std::optional<std::string> without_mask_, with_mask_;
};

// Attention with dropout, for which torch has no kernel on a CPU and would take a dozen passes over
// its matrices. `query`, `key` and `value` [n, s, features] hold the features of `heads` heads side
// by side (dense, all of float, bfloat16 or double). For each head it computes dropout(softmax(q k'
// / sqrt(features / heads) + mask)) v, in the same layout. `mask` [n, s] of the parameters' type is
// added to the scores of each key. Backward keeps the probabilities and a bit for each.
// Differentiable once.
at::Tensor dropout_attention(const at::Tensor& query, const at::Tensor& key,
                             const at::Tensor& value, const std::optional<at::Tensor>& mask,
                             std::int64_t heads, double dropout);

}  // namespace scalemark::workloads
