// BERT with both pre-training heads, with the names, initialisation and numerics of Hugging Face's
// BertForPreTraining. The MLM head runs on the masked positions only.
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <limits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "workloads/attention.h"
#include "workloads/checkpointed.h"
#include "workloads/layers.h"
#include "workloads/network.h"
#include "workloads/tied_embedding.h"

namespace scalemark::workloads {
namespace {

constexpr double kInitialDeviation = 0.02;
constexpr double kLayerNormEps = 1e-12;
constexpr double kDropout = 0.1;

struct Sizes {
  catalogue::Transformer transformer;
  std::int64_t vocab_size;
  double dropout;
  bool checkpointing = false;
  std::shared_ptr<AttentionChoices> choices = std::make_shared<AttentionChoices>();
};

std::shared_ptr<Linear> dense(std::int64_t in, std::int64_t out) {
  auto layer = std::make_shared<Linear>(in, out);
  layer->weight.detach().normal_(0, kInitialDeviation);
  layer->bias.detach().zero_();
  return layer;
}

struct Table : torch::nn::Module {
  Table(std::int64_t rows, std::int64_t features)
      : weight(register_parameter("weight",
                                  at::empty({rows, features}).normal_(0, kInitialDeviation))) {}

  at::Tensor weight;
};

// Adds `x` (after dropout) to `residual` and normalises: "attention.output" and "output".
struct ResidualOutput : torch::nn::Module {
  ResidualOutput(std::int64_t in, const Sizes& sizes)
      : linear(register_module("dense", dense(in, sizes.transformer.hidden))),
        norm(register_module("LayerNorm",
                             std::make_shared<LayerNorm>(sizes.transformer.hidden, kLayerNormEps))),
        dropout(sizes.dropout) {}

  at::Tensor forward(const at::Tensor& x, const at::Tensor& residual) const {
    auto y = linear->forward(x);
    if (dropout > 0 && is_training()) y = at::dropout(y, dropout, true);
    // Under autocast `y` is of lower precision than the residual and cannot take the sum in place.
    return norm->forward(y.scalar_type() == residual.scalar_type() ? y.add_(residual)
                                                                   : y + residual);
  }

  std::shared_ptr<Linear> linear;
  std::shared_ptr<LayerNorm> norm;
  double dropout;
};

struct SelfAttention : torch::nn::Module {
  explicit SelfAttention(const Sizes& sizes)
      : query(register_module("query", dense(sizes.transformer.hidden, sizes.transformer.hidden))),
        key(register_module("key", dense(sizes.transformer.hidden, sizes.transformer.hidden))),
        value(register_module("value", dense(sizes.transformer.hidden, sizes.transformer.hidden))),
        heads(sizes.transformer.heads),
        dropout(sizes.dropout),
        choices(sizes.choices) {}

  at::Tensor forward(const at::Tensor& x, const std::optional<at::Tensor>& mask) const {
    const auto q = by_head(query->forward(x)), k = by_head(key->forward(x)),
               v = by_head(value->forward(x));
    if (is_training()) choices->note(q, k, v, mask, dropout);
    const auto attended =
        at::scaled_dot_product_attention(q, k, v, mask, is_training() ? dropout : 0.0);
    return attended.transpose(1, 2).reshape(x.sizes());
  }

  at::Tensor by_head(const at::Tensor& x) const {  // [n, s, h] -> [n, heads, s, h / heads]
    return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
  }

  std::shared_ptr<Linear> query, key, value;
  std::int64_t heads;
  double dropout;
  std::shared_ptr<AttentionChoices> choices;
};

struct Attention : torch::nn::Module {
  explicit Attention(const Sizes& sizes)
      : self(register_module("self", std::make_shared<SelfAttention>(sizes))),
        output(register_module(
            "output", std::make_shared<ResidualOutput>(sizes.transformer.hidden, sizes))) {}

  std::shared_ptr<SelfAttention> self;
  std::shared_ptr<ResidualOutput> output;
};

struct Intermediate : torch::nn::Module {
  explicit Intermediate(const catalogue::Transformer& t)
      : linear(register_module("dense", dense(t.hidden, t.feed_forward))) {}

  std::shared_ptr<Linear> linear;
};

struct EncoderLayer : torch::nn::Module {
  explicit EncoderLayer(const Sizes& sizes)
      : attention(register_module("attention", std::make_shared<Attention>(sizes))),
        intermediate(
            register_module("intermediate", std::make_shared<Intermediate>(sizes.transformer))),
        output(register_module(
            "output", std::make_shared<ResidualOutput>(sizes.transformer.feed_forward, sizes))) {}

  at::Tensor forward(const at::Tensor& x, const std::optional<at::Tensor>& mask) const {
    const auto attended = attention->output->forward(attention->self->forward(x, mask), x);
    return output->forward(at::gelu(intermediate->linear->forward(attended)), attended);
  }

  std::shared_ptr<Attention> attention;
  std::shared_ptr<Intermediate> intermediate;
  std::shared_ptr<ResidualOutput> output;
};

struct Embeddings : torch::nn::Module {
  explicit Embeddings(const Sizes& sizes)
      : words(register_module("word_embeddings",
                              std::make_shared<Table>(sizes.vocab_size, sizes.transformer.hidden))),
        positions(register_module(
            "position_embeddings",
            std::make_shared<Table>(sizes.transformer.max_positions, sizes.transformer.hidden))),
        token_types(register_module("token_type_embeddings",
                                    std::make_shared<Table>(2, sizes.transformer.hidden))),
        norm(register_module("LayerNorm",
                             std::make_shared<LayerNorm>(sizes.transformer.hidden, kLayerNormEps))),
        dropout(sizes.dropout) {
    words->weight.detach().select(0, kPadToken).zero_();
  }

  // `rows`: the word embeddings [n, s, h], which the sum is written into.
  at::Tensor forward(at::Tensor rows, const at::Tensor& token_type_ids) const {
    rows.add_(at::embedding(token_types->weight, token_type_ids));
    rows.add_(positions->weight.narrow(0, 0, rows.size(1)));
    auto x = norm->forward(rows);
    return dropout > 0 && is_training() ? at::dropout(x, dropout, true) : x;
  }

  std::shared_ptr<Table> words, positions, token_types;
  std::shared_ptr<LayerNorm> norm;
  double dropout;
};

struct Encoder : torch::nn::Module {
  explicit Encoder(const Sizes& sizes) : checkpointing(sizes.checkpointing) {
    auto& list = *register_module("layer", std::make_shared<torch::nn::Module>());
    for (std::int64_t i = 0; i < sizes.transformer.layers; ++i) {
      layers.push_back(
          list.register_module(std::to_string(i), std::make_shared<EncoderLayer>(sizes)));
    }
  }

  at::Tensor forward(at::Tensor x, const std::optional<at::Tensor>& mask) const {
    for (const auto& layer : layers) {
      const auto part = [layer, mask](const at::Tensor& input, Pass) {
        return layer->forward(input, mask);
      };
      x = checkpointing ? checkpointed(part, x) : layer->forward(x, mask);
    }
    return x;
  }

  bool checkpointing;
  std::vector<std::shared_ptr<EncoderLayer>> layers;
};

struct Pooler : torch::nn::Module {
  explicit Pooler(std::int64_t hidden) : linear(register_module("dense", dense(hidden, hidden))) {}

  at::Tensor forward(const at::Tensor& x) const { return linear->forward(x.select(1, 0)).tanh(); }

  std::shared_ptr<Linear> linear;
};

struct Body : torch::nn::Module {
  explicit Body(const Sizes& sizes)
      : embeddings(register_module("embeddings", std::make_shared<Embeddings>(sizes))),
        encoder(register_module("encoder", std::make_shared<Encoder>(sizes))),
        pooler(register_module("pooler", std::make_shared<Pooler>(sizes.transformer.hidden))) {}

  std::shared_ptr<Embeddings> embeddings;
  std::shared_ptr<Encoder> encoder;
  std::shared_ptr<Pooler> pooler;
};

struct Transform : torch::nn::Module {
  explicit Transform(std::int64_t hidden)
      : linear(register_module("dense", dense(hidden, hidden))),
        norm(register_module("LayerNorm", std::make_shared<LayerNorm>(hidden, kLayerNormEps))) {}

  at::Tensor forward(const at::Tensor& x) const {
    return norm->forward(at::gelu(linear->forward(x)));
  }

  std::shared_ptr<Linear> linear;
  std::shared_ptr<LayerNorm> norm;
};

struct Predictions : torch::nn::Module {
  explicit Predictions(const Sizes& sizes)
      : bias(register_parameter("bias", at::zeros({sizes.vocab_size}))),
        transform(
            register_module("transform", std::make_shared<Transform>(sizes.transformer.hidden))) {}

  at::Tensor bias;  // of the decoder, whose weight is the word embeddings'
  std::shared_ptr<Transform> transform;
};

struct Heads : torch::nn::Module {
  explicit Heads(const Sizes& sizes)
      : predictions(register_module("predictions", std::make_shared<Predictions>(sizes))),
        seq_relationship(register_module("seq_relationship", dense(sizes.transformer.hidden, 2))) {}

  std::shared_ptr<Predictions> predictions;
  std::shared_ptr<Linear> seq_relationship;
};

struct Logits {
  at::Tensor words;          // [m, vocabulary]
  at::Tensor next_sentence;  // [n, 2]
};

struct Bert : torch::nn::Module {
  explicit Bert(const Sizes& sizes)
      : body(register_module("bert", std::make_shared<Body>(sizes))),
        heads(register_module("cls", std::make_shared<Heads>(sizes))) {}

  Logits forward(const data::Batch& batch, const std::optional<at::Tensor>& mask) const {
    const auto [rows, table] = tied_embedding(body->embeddings->words->weight, batch["input_ids"]);
    const auto x =
        body->encoder->forward(body->embeddings->forward(rows, batch["token_type_ids"]), mask);

    const auto masked = x.view({-1, x.size(2)}).index_select(0, batch["masked_positions"]);
    const Predictions& head = *heads->predictions;
    return {.words = at::linear(head.transform->forward(masked), table, head.bias),
            .next_sentence = heads->seq_relationship->forward(body->pooler->forward(x))};
  }

  std::shared_ptr<Body> body;
  std::shared_ptr<Heads> heads;
};

// 0 where a token is real and -infinity where it is padding, [n, 1, 1, s]; none when the host knows
// that nothing is padded, which saves a pass over every attention matrix.
std::optional<at::Tensor> padding_mask(const data::Batch& batch, at::ScalarType dtype) {
  const at::Tensor& real = batch["attention_mask"];
  if (batch.non_pad_tokens == real.numel()) return std::nullopt;
  const auto mask = at::zeros(real.sizes(), real.options().dtype(dtype));
  mask.masked_fill_(real.eq(0), -std::numeric_limits<double>::infinity());
  return mask.view({real.size(0), 1, 1, real.size(1)});
}

class BertNetwork : public Network {
 public:
  explicit BertNetwork(const Sizes& sizes)
      : module_(std::make_shared<Bert>(sizes)),
        max_positions_(sizes.transformer.max_positions),
        choices_(sizes.choices) {}

  torch::nn::Module& module() override { return *module_; }

  std::map<std::string, std::string> tied_names() const override {
    return {{"cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"},
            {"cls.predictions.decoder.bias", "cls.predictions.bias"}};
  }

  Outputs forward(const data::Batch& batch) override {
    Logits logits = logits_of(batch);
    return {std::move(logits.words), std::move(logits.next_sentence)};
  }

  at::Tensor loss_of(const Outputs& outputs, const data::Batch& batch) override {
    return at::cross_entropy_loss(outputs[0], batch["masked_labels"]) +
           at::cross_entropy_loss(outputs[1], batch["next_sentence_label"]);
  }

  std::vector<std::string> attention_backends() const override { return choices_->names(); }

  // The loss summed over masked tokens is the batch's loss (MLM + NSP) times their number.
  EvaluationSums evaluate(const data::Batch& batch) override {
    const Logits logits = logits_of(batch);
    const at::Tensor& positions = batch["masked_positions"];
    const at::Tensor& labels = batch["masked_labels"];
    const std::int64_t kept = batch.samples - batch.padding;
    // Padding samples stand last; rows that only fill the list up have no label.
    const auto counted = positions.lt(kept * batch["input_ids"].size(1)).logical_and(labels.ge(0));
    const auto words =
        at::cross_entropy_loss(logits.words, labels, {}, at::Reduction::None).to(at::kDouble);
    const auto next_sentence =
        at::cross_entropy_loss(logits.next_sentence.narrow(0, 0, kept),
                               batch["next_sentence_label"].narrow(0, 0, kept), {},
                               at::Reduction::Sum)
            .to(at::kDouble);
    const auto items = counted.sum();
    return {.loss = words.mul(counted).sum() +
                    next_sentence * items / static_cast<double>(std::max<std::int64_t>(1, kept)),
            .correct = logits.words.argmax(1).eq(labels).logical_and(counted).sum(),
            .items = items};
  }

 private:
  Logits logits_of(const data::Batch& batch) const {
    if (batch["input_ids"].size(1) > max_positions_) {
      throw configuration("sequences of " + std::to_string(batch["input_ids"].size(1)) + " tokens",
                          "at most " + std::to_string(max_positions_));
    }
    const auto dtype = module_->heads->predictions->bias.scalar_type();
    return module_->forward(batch, padding_mask(batch, dtype));
  }

  std::shared_ptr<Bert> module_;
  std::int64_t max_positions_;
  std::shared_ptr<AttentionChoices> choices_;
};

}  // namespace

std::unique_ptr<Network> make_bert(const catalogue::Workload& workload,
                                   const NetworkOptions& options) {
  return std::make_unique<BertNetwork>(Sizes{.transformer = workload.transformer.value(),
                                             .vocab_size = options.shape.vocab_size,
                                             .dropout = options.dropout.value_or(kDropout),
                                             .checkpointing = options.checkpointing});
}

}  // namespace scalemark::workloads
