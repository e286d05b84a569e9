// BERT with both pre-training heads, the MLM decoder tied to the word embeddings.
#include <algorithm>
#include <cmath>

#include "core/catalogue/workload.h"

namespace scalemark::catalogue {
namespace {

constexpr Transformer kBase{12, 768, 12, 3072, 30522, 512};
constexpr Transformer kLarge{24, 1024, 16, 4096, 30522, 512};
constexpr Transformer kMini{4, 256, 4, 1024, 30522, 512};

double masked_positions(std::int64_t sequence_length) {
  return std::max(1.0, std::round(0.15 * static_cast<double>(sequence_length)));
}

std::int64_t bert_parameters(const Transformer& t, const ModelShape& shape) {
  const std::int64_t h = t.hidden, f = t.feed_forward, v = shape.vocab_size;
  const std::int64_t embeddings = (v + t.max_positions + 2) * h + 2 * h;
  const std::int64_t layer = 4 * (h * h + h) + 2 * h + (h * f + f) + (f * h + h) + 2 * h;
  const std::int64_t pooler = h * h + h;
  const std::int64_t mlm_head = h * h + h + 2 * h + v;  // the decoder's weight is the embeddings'
  const std::int64_t nsp_head = 2 * h + 2;
  return embeddings + t.layers * layer + pooler + mlm_head + nsp_head;
}

double bert_flops_per_sample(const Transformer& t, const ModelShape& shape) {
  const auto h = static_cast<double>(t.hidden), f = static_cast<double>(t.feed_forward);
  const auto s = static_cast<double>(shape.sequence_length);
  const double layer = 2 * s * (4 * h * h + 2 * h * f) + 4 * s * s * h;
  const double mlm_head = 2 * masked_positions(shape.sequence_length) *
                          (h * h + h * static_cast<double>(shape.vocab_size));
  const double pooler_and_nsp = 2 * (h * h + 2 * h);
  return 3 * (static_cast<double>(t.layers) * layer + mlm_head + pooler_and_nsp);
}

// Kept per token and layer: the layer's input; query, key and value; the attention's output; both
// layer norms' inputs; the first one's output; GELU's input and output. Attention with dropout is
// materialised on a CPU: probabilities, s per head and token. Masks have a bit an element.
// CUDA's fused attention keeps no probabilities.
double layer_elements(const Transformer& t, double s) {
  constexpr double kElementsOfAMask = 1.0 / 32;
  const auto h = static_cast<double>(t.hidden), f = static_cast<double>(t.feed_forward);
  const double probabilities = static_cast<double>(t.heads) * s;
  return s * (8 * h + 2 * f + probabilities + kElementsOfAMask * (2 * h + probabilities));
}

// Counts the elements of the embeddings and both heads.
double outer_elements(const Transformer& t, double s, double masked) {
  const auto h = static_cast<double>(t.hidden);
  return s * 2 * h + masked * 4 * h + 2 * h;
}

// Logits, their log-probabilities (kept) and their gradient at the peak; float32 always.
double logits_bytes(const ModelShape& shape) {
  return 3 * 4 * masked_positions(shape.sequence_length) * static_cast<double>(shape.vocab_size);
}

double bert_activation_bytes_per_sample(const Transformer& t, const ModelShape& shape,
                                        int element_bytes) {
  const auto s = static_cast<double>(shape.sequence_length);
  const double outer = outer_elements(t, s, masked_positions(shape.sequence_length));
  return (static_cast<double>(t.layers) * layer_elements(t, s) + outer) * element_bytes +
         logits_bytes(shape);
}

// Kept of each layer: its input, float32 always. Backward of a layer holds about three gradients of
// the feed-forward's size or the attention's beside it.
CheckpointedBytes checkpointed_bytes(const Transformer& t, const ModelShape& shape,
                                     int element_bytes) {
  const auto s = static_cast<double>(shape.sequence_length);
  const double outer = outer_elements(t, s, masked_positions(shape.sequence_length));
  const double widest =
      std::max(static_cast<double>(t.feed_forward), static_cast<double>(t.heads) * s);
  return {.kept = 4 * static_cast<double>(t.layers * t.hidden) * s + outer * element_bytes,
          .loss = logits_bytes(shape),
          .block = (layer_elements(t, s) + 3 * s * widest) * element_bytes};
}

Recipe bert_recipe() {
  return {.optimizer = "adamw",
          .learning_rate = 1e-4,
          .lr_schedule = "linear",
          .lr_warmup_share = 0.01,
          .weight_decay = 0.01,
          .decay_norms_and_biases = false,
          .eps = 1e-6,
          .clip_grad_norm = 1.0,
          .reference_batch = 256,
          .source =
              "Devlin et al., arXiv:1810.04805, appendix A.2: Adam with decoupled decay, rate "
              "1e-4, batch 256, 10,000 of 1,000,000 steps of warm-up, linear decay; eps 1e-6, "
              "clipping at 1.0 and no decay of layer norms and biases: google-research/bert, "
              "optimization.py"};
}

Recipe mini_recipe() {
  Recipe mini = bert_recipe();
  mini.learning_rate = 5e-4;
  mini.lr_warmup_share = 0.1;
  mini.source =
      "as bert-base (arXiv:1810.04805, appendix A.2); rate 5e-4 and 10 % of warm-up are "
      "this project's choice for short runs of a small model; the size is BERT-mini of "
      "Turc et al., arXiv:1908.08962, table 1";
  return mini;
}

Workload describe(std::string name, std::string title, const Transformer& t,
                  std::int64_t batch_size, Recipe recipe) {
  return {
      .name = std::move(name),
      .title = std::move(title),
      .sample_unit = "sequences",
      .loss = "mean MLM cross-entropy over the masked positions + mean NSP cross-entropy",
      .metric = "MLM accuracy",
      .data_kind = DataKind::kText,
      .data = {"synthetic", "plain text (a file or a folder) with --vocab",
               "a token file made by `scalemark data tokenize`"},
      .default_shape = {.sequence_length = 128, .vocab_size = t.vocab_size},
      .default_batch_size = batch_size,
      .recipe = std::move(recipe),
      .transformer = t,
      .options = {"task", "sequence_length", "vocab", "cased", "activation_checkpointing",
                  "fused_layers"},
      .parameters = [t](const ModelShape& shape) { return bert_parameters(t, shape); },
      .flops_per_sample = [t](const ModelShape& shape) { return bert_flops_per_sample(t, shape); },
      .flops_formula =
          "3 x 2 x (layers x (s x (4 h^2 + 2 h f) + 2 s^2 h) + m x (h^2 + h V) + h^2 + 2 h); "
          "the MLM head on the m = max(1, round(0.15 s)) masked positions only; padding counts "
          "as tokens; look-ups, norms, softmax and GELU not counted",
      .flops_source =
          "one term per matrix product of Devlin et al., arXiv:1810.04805; 2 per "
          "multiply-add, attention included and no recomputation as PaLM, "
          "arXiv:2204.02311, appendix B",
      .activation_bytes_per_sample =
          [t](const ModelShape& shape, int element_bytes) {
            return bert_activation_bytes_per_sample(t, shape, element_bytes);
          },
      .checkpointed_bytes =
          [t](const ModelShape& shape, int element_bytes) {
            return checkpointed_bytes(t, shape, element_bytes);
          }};
}

}  // namespace

Workload bert_base() { return describe("bert-base", "BERT-base", kBase, 8, bert_recipe()); }
Workload bert_large() { return describe("bert-large", "BERT-large", kLarge, 4, bert_recipe()); }
Workload bert_mini() {
  return describe("bert-mini", "BERT-mini (4 layers x 256)", kMini, 8, mini_recipe());
}

}  // namespace scalemark::catalogue
