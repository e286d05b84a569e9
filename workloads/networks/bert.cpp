// BERT with both pre-training heads, with the names, initialisation and numerics of Hugging Face's
// BertForPreTraining. The MLM head runs on the masked positions only.
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <limits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "workloads/layers/checkpointed.h"
#include "workloads/layers/layer_operators.h"
#include "workloads/layers/weight_copies.h"
#include "workloads/networks/encoder_layer.h"
#include "workloads/networks/network.h"

namespace scalemark::workloads {
namespace {

constexpr double kDropout = 0.1;

struct Table : torch::nn::Module {
  Table(std::int64_t rows, std::int64_t features)
      : weight(register_parameter("weight",
                                  at::empty({rows, features}).normal_(0, kBertInitialDeviation))) {}

  at::Tensor weight;
};

struct Embeddings : torch::nn::Module {
  explicit Embeddings(const EncoderSizes& sizes)
      : words(register_module("word_embeddings",
                              std::make_shared<Table>(sizes.vocab_size, sizes.transformer.hidden))),
        positions(register_module(
            "position_embeddings",
            std::make_shared<Table>(sizes.transformer.max_positions, sizes.transformer.hidden))),
        token_types(register_module("token_type_embeddings",
                                    std::make_shared<Table>(2, sizes.transformer.hidden))),
        norm(register_module(
            "LayerNorm", std::make_shared<LayerNorm>(sizes.transformer.hidden, kBertLayerNormEps))),
        dropout(sizes.dropout),
        fused(sizes.fused) {
    words->weight.detach().select(0, kPadToken).zero_();
  }

  // `rows` are the word embeddings [n, s, h]; the sum is written into them.
  at::Tensor forward(at::Tensor rows, const at::Tensor& token_type_ids) const {
    rows.add_(at::embedding(token_types->weight, token_type_ids));
    rows.add_(positions->weight.narrow(0, 0, rows.size(1)));
    return dropped(norm->forward(rows), is_training() ? dropout : 0, fused);
  }

  std::shared_ptr<Table> words, positions, token_types;
  std::shared_ptr<LayerNorm> norm;
  double dropout;
  bool fused;
};

struct Encoder : torch::nn::Module {
  explicit Encoder(const EncoderSizes& sizes)
      : checkpointing(sizes.checkpointing), fused(sizes.fused) {
    auto& list = *register_module("layer", std::make_shared<torch::nn::Module>());
    for (std::int64_t i = 0; i < sizes.transformer.layers; ++i) {
      layers.push_back(list.register_module(std::to_string(i), make_encoder_layer(sizes)));
    }
  }

  Fork forward(const at::Tensor& embedded, const std::optional<at::Tensor>& padding) const {
    const at::Tensor first = stream_of(embedded, fused);
    std::optional<at::Tensor> mask = padding;
    if (mask) mask = mask->to(first.scalar_type());
    Fork x{first, first};
    for (const auto& layer : layers) {
      const Part part = [layer, mask](const Tensors& inputs, Pass) {
        const Fork y = layer->forward({inputs[0], inputs[1]}, mask);
        return Tensors{y.branch, y.shortcut};
      };
      const Tensors inputs{x.branch, x.shortcut};
      const Tensors y = checkpointing ? checkpointed(part, inputs) : part(inputs, Pass::kFirst);
      x = {y[0], y[1]};
    }
    return x;
  }

  bool checkpointing, fused;
  std::vector<std::shared_ptr<EncoderLayer>> layers;
};

struct Pooler : torch::nn::Module {
  explicit Pooler(const EncoderSizes& sizes)
      : linear(register_module("dense",
                               bert_linear(sizes.transformer.hidden, sizes.transformer.hidden))),
        fused(sizes.fused) {}

  at::Tensor forward(const at::Tensor& x) const {
    return linear_of(*linear, x.select(1, 0), fused).tanh();
  }

  std::shared_ptr<Linear> linear;
  bool fused;
};

struct Body : torch::nn::Module {
  explicit Body(const EncoderSizes& sizes)
      : embeddings(register_module("embeddings", std::make_shared<Embeddings>(sizes))),
        encoder(register_module("encoder", std::make_shared<Encoder>(sizes))),
        pooler(register_module("pooler", std::make_shared<Pooler>(sizes))) {}

  std::shared_ptr<Embeddings> embeddings;
  std::shared_ptr<Encoder> encoder;
  std::shared_ptr<Pooler> pooler;
};

struct Transform : torch::nn::Module {
  explicit Transform(const EncoderSizes& sizes)
      : linear(register_module("dense",
                               bert_linear(sizes.transformer.hidden, sizes.transformer.hidden))),
        norm(register_module(
            "LayerNorm", std::make_shared<LayerNorm>(sizes.transformer.hidden, kBertLayerNormEps))),
        fused(sizes.fused) {}

  at::Tensor forward(const at::Tensor& x) const {
    return norm->forward(gelu_of(*linear, x, fused));
  }

  std::shared_ptr<Linear> linear;
  std::shared_ptr<LayerNorm> norm;
  bool fused;
};

struct Predictions : torch::nn::Module {
  explicit Predictions(const EncoderSizes& sizes)
      : bias(register_parameter("bias", at::zeros({sizes.vocab_size}))),
        transform(register_module("transform", std::make_shared<Transform>(sizes))) {}

  at::Tensor bias;  // the decoder adds it; the decoder's weight is that of the word embeddings
  std::shared_ptr<Transform> transform;
};

struct Heads : torch::nn::Module {
  explicit Heads(const EncoderSizes& sizes)
      : predictions(register_module("predictions", std::make_shared<Predictions>(sizes))),
        seq_relationship(
            register_module("seq_relationship", bert_linear(sizes.transformer.hidden, 2))),
        fused(sizes.fused) {}

  std::shared_ptr<Predictions> predictions;
  std::shared_ptr<Linear> seq_relationship;
  bool fused;
};

struct Logits {
  at::Tensor words;          // [m, vocabulary]
  at::Tensor next_sentence;  // [n, 2]
};

struct Bert : torch::nn::Module {
  explicit Bert(const EncoderSizes& sizes)
      : body(register_module("bert", std::make_shared<Body>(sizes))),
        heads(register_module("cls", std::make_shared<Heads>(sizes))) {}

  Logits forward(const data::Batch& batch, const std::optional<at::Tensor>& mask) const {
    const auto [rows, table] = tied_embedding(body->embeddings->words->weight, batch["input_ids"]);
    const Fork x =
        body->encoder->forward(body->embeddings->forward(rows, batch["token_type_ids"]), mask);

    const auto masked =
        x.branch.view({-1, x.branch.size(2)}).index_select(0, batch["masked_positions"]);
    const Predictions& head = *heads->predictions;
    return {.words = decoded(head.transform->forward(masked), table, head.bias),
            .next_sentence = linear_of(*heads->seq_relationship, body->pooler->forward(x.shortcut),
                                       heads->fused)};
  }

  at::Tensor decoded(const at::Tensor& x, const at::Tensor& table, const at::Tensor& bias) const {
    return heads->fused ? product(x, table, bias) : at::linear(x, table, weight_copy(bias));
  }

  std::shared_ptr<Body> body;
  std::shared_ptr<Heads> heads;
};

// Returns [n, 1, 1, s]: 0 where a token is real and -infinity where it is padding. Returns nothing
// when the host knows that there is no padding, which saves a pass over every attention matrix.
std::optional<at::Tensor> padding_mask(const data::Batch& batch, at::ScalarType dtype) {
  const at::Tensor& real = batch["attention_mask"];
  if (batch.non_pad_tokens == real.numel()) return std::nullopt;
  const auto mask = at::zeros(real.sizes(), real.options().dtype(dtype));
  mask.masked_fill_(real.eq(0), -std::numeric_limits<double>::infinity());
  return mask.view({real.size(0), 1, 1, real.size(1)});
}

class BertNetwork : public Network {
 public:
  explicit BertNetwork(const EncoderSizes& sizes)
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
    // Padding samples come last; rows that only pad the list have no label.
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
  return std::make_unique<BertNetwork>(EncoderSizes{.transformer = workload.transformer.value(),
                                                    .vocab_size = options.shape.vocab_size,
                                                    .dropout = options.dropout.value_or(kDropout),
                                                    .checkpointing = options.checkpointing,
                                                    .fused = options.fused_layers});
}

}  // namespace scalemark::workloads
