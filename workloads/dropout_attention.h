// Attention with dropout as one autograd node on a CPU, where torch has no kernel for it and
// computes it in a dozen passes over its matrices. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace scalemark::workloads {

// For each of `heads`, whose features lie beside each other in `query`, `key` and `value` [n, s,
// features] (dense, all of float, bfloat16 or double): dropout(softmax(q k' / sqrt(features /
// heads) + mask)) v, in that layout again. `mask` [n, s] of the parameters' type is added to the
// scores of each key. Backward keeps the probabilities and a bit for each. Differentiable once.
at::Tensor dropout_attention(const at::Tensor& query, const at::Tensor& key,
                             const at::Tensor& value, const std::optional<at::Tensor>& mask,
                             std::int64_t heads, double dropout);

}  // namespace scalemark::workloads
