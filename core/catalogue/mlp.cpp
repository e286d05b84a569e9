// The two workloads of fully connected layers.

#include "core/catalogue/workload.h"

namespace scalemark::catalogue {
namespace {

// The linear workload is one layer, 1000 -> classes: almost no computation, so that a step is all
// overhead.

constexpr std::int64_t kIn = 1000;

std::int64_t linear_parameters(const ModelShape& shape) { return (kIn + 1) * shape.classes; }

double linear_flops_per_sample(const ModelShape& shape) {
  return 2.0 * 2.0 * kIn * static_cast<double>(shape.classes);
}

// Inputs and the log-softmax (float32 always).
double linear_activation_bytes_per_sample(const ModelShape& shape, int element_bytes) {
  return static_cast<double>(kIn) * element_bytes + 4.0 * static_cast<double>(shape.classes);
}

}  // namespace

Workload linear() {
  return {.name = "linear",
          .title = "Linear 1000-10",
          .sample_unit = "samples",
          .loss = "mean cross-entropy over the classes, with label smoothing when asked for",
          .metric = "top-1",
          .data_kind = DataKind::kVectors,
          .data = {"synthetic"},
          .default_shape = {.classes = 10},
          .input_features = kIn,
          .default_batch_size = 32,
          .recipe = {.optimizer = "sgd",
                     .learning_rate = 0.01,
                     .lr_schedule = "constant",
                     .reference_batch = 32,
                     .source = "the classic DDP test on one layer: plain SGD, rate 0.01, batch 32"},
          .options = {"label_smoothing"},
          .parameters = linear_parameters,
          .flops_per_sample = linear_flops_per_sample,
          .flops_formula = "2 x 2 x 1000 x classes: forward and weight gradient; inputs need none",
          .flops_source =
              "one term per matrix product; 2 per multiply-add as PaLM, "
              "arXiv:2204.02311, appendix B",
          .activation_bytes_per_sample = linear_activation_bytes_per_sample};
}

namespace {

// The multi-layer perceptron is that of the classic DDP test: 1024-512-256-classes with ReLU.

constexpr std::int64_t kMlpIn = 1024, kFirst = 512, kSecond = 256;

std::int64_t mlp_parameters(const ModelShape& shape) {
  return (kMlpIn + 1) * kFirst + (kFirst + 1) * kSecond + (kSecond + 1) * shape.classes;
}

double mlp_flops_per_sample(const ModelShape& shape) {
  const auto c = static_cast<double>(shape.classes);
  return 2.0 * (2.0 * kMlpIn * kFirst + 3.0 * kFirst * kSecond + 3.0 * kSecond * c);
}

// Inputs, both ReLUs' outputs, the log-softmax (float32 always).
double mlp_activation_bytes_per_sample(const ModelShape& shape, int element_bytes) {
  return (kMlpIn + kFirst + kSecond) * element_bytes + 4.0 * static_cast<double>(shape.classes);
}

}  // namespace

Workload mlp() {
  return {.name = "mlp",
          .title = "MLP 1024-512-256-10",
          .sample_unit = "samples",
          .loss = "mean cross-entropy over the classes, with label smoothing when asked for",
          .metric = "top-1",
          .data_kind = DataKind::kVectors,
          .data = {"synthetic"},
          .default_shape = {.classes = 10},
          .input_features = kMlpIn,
          .default_batch_size = 64,
          .recipe = {.optimizer = "adam",
                     .learning_rate = 1e-3,
                     .lr_schedule = "constant",
                     .reference_batch = 64,
                     .source = "the classic DDP test on an MLP: Adam 1e-3, batch 64; betas and eps "
                               "are PyTorch's defaults (Kingma and Ba, arXiv:1412.6980)"},
          .options = {"label_smoothing"},
          .parameters = mlp_parameters,
          .flops_per_sample = mlp_flops_per_sample,
          .flops_formula =
              "2 x (2 x 1024 x 512 + 3 x 512 x 256 + 3 x 256 x classes): forward, "
              "weight gradients, and input gradients except the first layer's",
          .flops_source =
              "one term per matrix product; 2 per multiply-add as PaLM, "
              "arXiv:2204.02311, appendix B",
          .activation_bytes_per_sample = mlp_activation_bytes_per_sample};
}

}  // namespace scalemark::catalogue
