// A workload without its network is all that settings, --dry-run, estimates and reports need
// without loading torch. The network of the same name is in workloads/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::catalogue {

// The parts of a network's size that settings and data choose.
struct ModelShape {
  std::int64_t image_size = 224;
  std::int64_t sequence_length = 128;
  std::int64_t classes = 0;     // 0: the workload's own number; image folders bring theirs
  std::int64_t vocab_size = 0;  // 0: the workload's own number; a vocab.txt brings its own
};

enum class DataKind { kImages, kText, kVectors };

// How the workload is trained unless options say otherwise. Every value has a source in `source`.
struct Recipe {
  std::string optimizer;  // sgd | adam | adamw | lamb | lars
  double learning_rate = 0;
  std::string lr_schedule;  // constant | cosine | step | linear | polynomial | cyclic
  // The schedule's length is the run's total optimizer steps (--epochs: steps per epoch x epochs;
  // otherwise warm-up plus measured steps), so that a short run still ends where a long one does.
  // The rate rises linearly over the first lr_warmup_steps + round(lr_warmup_share x total) steps.
  // Recipes use the share; --lr-warmup-steps replaces both by a count.
  std::int64_t lr_warmup_steps = 0;
  double lr_warmup_share = 0;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  bool decay_norms_and_biases = true;  // false: norm weights and biases (1-d) are not decayed
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.999;
  double eps = 1e-8;
  std::optional<double> clip_grad_norm;
  double label_smoothing = 0;
  std::int64_t reference_batch =
      0;  // --lr-scaling linear: learning rate x global_batch_size / this
  std::string source;
};

struct Transformer {  // BERT family only
  std::int64_t layers, hidden, heads, feed_forward, vocab_size, max_positions;
};

// A sample needs this where blocks keep only their inputs.
struct CheckpointedBytes {
  double kept = 0;   // held when backward begins
  double loss = 0;   // added by the loss alone; gone before the first block is made again
  double block = 0;  // added while the block that needs most is made again
};

struct Workload {
  std::string name;         // "resnet50"
  std::string title;        // "ResNet-50 v1.5"
  std::string sample_unit;  // "images" | "sequences" | "samples"
  std::string loss;         // in words, for reports
  std::string metric;       // "top-1" | "MLM accuracy": what --epochs evaluates
  DataKind data_kind;
  // Says what --data takes: "synthetic", "an ImageFolder tree", ...
  std::vector<std::string> data;
  ModelShape default_shape;
  std::int64_t input_features = 0;  // vectors only
  std::int64_t default_batch_size;
  Recipe recipe;
  std::optional<Transformer> transformer;
  std::vector<std::string>
      options;  // workload-specific options that it uses: "image_size", "vocab", ...

  std::function<std::int64_t(const ModelShape&)> parameters;
  // Forward + backward of one sample, 2 per multiply-add, no recomputation (PaLM, appendix B).
  std::function<double(const ModelShape&)> flops_per_sample;
  std::string flops_formula;
  std::string flops_source;
  // Bytes kept for backward per sample, `element_bytes` 4 or 2.
  std::function<double(const ModelShape&, int element_bytes)> activation_bytes_per_sample;
  // With --activation-checkpointing; empty for a network without blocks to checkpoint.
  std::function<CheckpointedBytes(const ModelShape&, int element_bytes)> checkpointed_bytes = {};
  // The fewest values of one channel of one sample that a batch norm sees; empty: there is none.
  std::function<std::int64_t(const ModelShape&)> least_norm_values = {};
};

std::span<const Workload> all_workloads();
std::vector<std::string_view> workload_names();
const Workload* find_workload(std::string_view name);  // nullptr when unknown

// `shape` with the workload's own numbers where it says 0.
ModelShape resolved_shape(const Workload& workload, ModelShape shape);

// The smallest batch of a rank that trains: 2 where batch norm would see one value per channel of
// one sample, of which there is no variance; torch refuses it as well.
std::int64_t least_batch(const Workload& workload, const ModelShape& shape);

}  // namespace scalemark::catalogue
