// A table that serves as word embeddings at the input and as the decoder's weight at the output,
// with one gradient for both uses.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace scalemark::workloads {

inline constexpr std::int64_t kPadToken = 0;

struct TiedEmbedding {
  at::Tensor rows;   // [..., features] of the ids
  at::Tensor table;  // the weight again, for the decoder: an operand of one matrix product only
};

// `weight` [vocabulary, features], `ids` i64 of any shape. Row kPadToken gets no gradient from the
// look-up, as torch.nn.Embedding with padding_idx. The look-up's gradient is added into the
// decoder's, row by row: autograd left to itself would fill and add a second table of zeros, which
// for BERT-mini is a tenth of a step on a CPU.
TiedEmbedding tied_embedding(const at::Tensor& weight, const at::Tensor& ids);

}  // namespace scalemark::workloads
