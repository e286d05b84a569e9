// A layer of BERT's encoder, and the pieces that it shares with the rest of the network, such as
// the tied embedding. Names, initialisation and numerics are those of Hugging Face's BertLayer.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/catalogue/workload.h"
#include "workloads/layers/attention.h"
#include "workloads/layers/layers.h"

namespace scalemark::workloads {

inline constexpr std::int64_t kPadToken = 0;

// A table that serves as word embeddings at the input and as the decoder's weight at the output,
// with one gradient for both uses.
struct TiedEmbedding {
  at::Tensor rows;   // [..., features], those of the ids
  at::Tensor table;  // the weight again, for the decoder: an operand of one matrix product only
};

// `weight` is [vocabulary, features], `ids` is i64 of any shape. As in torch.nn.Embedding with
// padding_idx, row kPadToken gets no gradient from the look-up. The look-up's gradient is added
// into the decoder's, row by row. Autograd by itself would fill a second table of zeros and add it,
// which for BERT-mini is a tenth of a step on a CPU.
TiedEmbedding tied_embedding(const at::Tensor& weight, const at::Tensor& ids);

inline constexpr double kBertInitialDeviation = 0.02;
inline constexpr double kBertLayerNormEps = 1e-12;

struct EncoderSizes {
  catalogue::Transformer transformer;
  std::int64_t vocab_size;
  double dropout;
  bool checkpointing = false;
  bool fused = true;  // own nodes: has_row_kernels() on a CPU, has_layer_operators() elsewhere
  std::shared_ptr<AttentionChoices> choices = std::make_shared<AttentionChoices>();
};

struct EncoderLayer : torch::nn::Module {
  // `x` is [n, s, h]; `mask` [n, 1, 1, s] has x's type and is added to the scores.
  virtual Fork forward(const Fork& x, const std::optional<at::Tensor>& mask) const = 0;
};

std::shared_ptr<EncoderLayer> make_encoder_layer(const EncoderSizes& sizes);

// The weight is drawn from N(0, 0.02); the bias is 0.
std::shared_ptr<Linear> bert_linear(std::int64_t in, std::int64_t out);

at::Tensor gelu_of(const Linear& linear, const at::Tensor& x, bool fused);

at::Tensor linear_of(const Linear& linear, const at::Tensor& x, bool fused);

// Returns `x` in the type in which layers pass activations on: on a device with own nodes the type
// of the products, so that no casts are needed.
at::Tensor stream_of(const at::Tensor& x, bool fused);

// `dropout` is 0 in evaluation.
at::Tensor dropped(const at::Tensor& x, double dropout, bool fused);

}  // namespace scalemark::workloads
