// The few layers that our networks are made of: parameters under PyTorch's names, and a forward()
// that is one ATen call. Leaner than torch/nn's own: nothing is formatted, cloned or counted.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>

#include "workloads/checkpointed.h"

namespace scalemark::workloads {

// weight [out, in], bias [out]; both from U(-1/sqrt(in), 1/sqrt(in)), as torch.nn.Linear.
struct Linear : torch::nn::Module {
  Linear(std::int64_t in, std::int64_t out);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight, bias;
};

// weight [out, in, k, k] from N(0, sqrt(2 / (out k^2))), as torchvision's ResNets; padding k / 2,
// no bias.
struct Convolution : torch::nn::Module {
  Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t step,
              at::MemoryFormat memory_format);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight;
  std::int64_t stride, padding;
};

// momentum 0.1, eps 1e-5. `batches` is the buffer num_batches_tracked: all the norms of a network
// hold the same tensor, because they hold the same count (but for skipped branches, and nothing
// reads it), and so one addition per step updates them all (forward() leaves it alone). A second
// pass over a batch leaves the running statistics alone, too.
struct BatchNorm : torch::nn::Module {
  BatchNorm(std::int64_t channels, const at::Tensor& batches, double initial_weight = 1);
  at::Tensor forward(const at::Tensor& x, Pass pass) const;

  at::Tensor weight, bias, running_mean, running_var;
};

// Over the last dimension.
struct LayerNorm : torch::nn::Module {
  LayerNorm(std::int64_t features, double epsilon);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight, bias;
  double eps;
};

}  // namespace scalemark::workloads
