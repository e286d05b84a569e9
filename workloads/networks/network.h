// A trainable network with its loss, as the train step sees it. Knows no ranks, no optimizer, no
// clock.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue/workload.h"
#include "data/load/batch.h"

namespace scalemark::workloads {

struct NetworkOptions {
  catalogue::ModelShape shape;      // resolved, without zeros
  bool zero_init_residual = false;  // ResNet: the last batch norm of each block starts at 0
  double label_smoothing = 0;
  std::optional<double> dropout;  // nullopt: the workload's own
  bool checkpointing = false;     // ResNet, BERT: each block keeps only its input (checkpointed.h)
  double stochastic_depth = 0;    // ResNet: share of the batches that skip the last block's branch
  bool fused_layers = true;       // our own passes run between products or convolutions
  at::MemoryFormat memory_format = at::MemoryFormat::Contiguous;
};

// Tensors whose first dimension is that over which the loss is averaged.
using Outputs = std::vector<at::Tensor>;

// Sums over one batch of evaluation, as device tensors (no host sync); the caller adds and divides
// them.
struct EvaluationSums {
  at::Tensor loss;     // float64 scalar: the sum of per-item losses
  at::Tensor correct;  // int64 scalar
  at::Tensor items;    // int64 scalar: images, or masked tokens
};

class Network {
 public:
  virtual ~Network() = default;

  // Returns the module tree. Parameter and buffer names are those of the PyTorch original
  // (torchvision, Hugging Face), so that weights can be exchanged as safetensors in both
  // directions.
  virtual torch::nn::Module& module() = 0;

  // Returns second names of a parameter in the original's state dict (a tied decoder): alias ->
  // name. The module tree has the parameter under its first name only.
  virtual std::map<std::string, std::string> tied_names() const { return {}; }

  // Returns what the loss needs of a batch on the network's device, with its graph: logits, row by
  // row. Images arrive as uint8 NHWC and are normalised and cast here.
  virtual Outputs forward(const data::Batch& batch) = 0;

  // Returns the mean loss of outputs for the labels of their batch: a scalar on which to call
  // backward().
  virtual at::Tensor loss_of(const Outputs& outputs, const data::Batch& batch) = 0;

  at::Tensor loss(const data::Batch& batch) { return loss_of(forward(batch), batch); }

  // Evaluates a batch with the network in eval mode, under no_grad. The batch's last `padding`
  // samples, which repeat others, are left out. The loss is the training loss, weighted by items.
  virtual EvaluationSums evaluate(const data::Batch& batch) = 0;

  // Returns the names of the attention kernels that forward() has used so far (attention.h); empty
  // without any.
  virtual std::vector<std::string> attention_backends() const { return {}; }
};

// Makes a network with fresh parameters from torch's default generator (seed it first), on the CPU
// in float32, initialised like the original. Throws configuration() for an unknown name.
std::unique_ptr<Network> make_network(std::string_view workload, const NetworkOptions& options);

}  // namespace scalemark::workloads
