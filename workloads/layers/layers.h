// The few layers of our networks: parameters under PyTorch's names, and a forward() that is one
// ATen call, or a node of ours where that is faster. They are leaner than torch/nn's own: nothing
// is formatted, cloned or counted.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>

#include "workloads/layers/checkpointed.h"
#include "workloads/layers/fused_norm.h"

namespace scalemark::workloads {

// --- The gradient of a convolution's weight as one matrix product over channels-last memory, and a
// test of where that is faster than oneDNN's own kernel.

// The kernel is square, without dilation or groups; padding is on all four sides.
struct ConvolutionSteps {
  std::int64_t stride = 1, padding = 0;
};

// Returns the gradient of a weight [out, in, k, k], for images x [n, in, h, w] and the gradient of
// y [n, out, h', w'], all of one type, with images and gradient in channels-last. The result has
// the weight's shape, in channels-last. Makes a copy of x, k^2 / stride^2 times as large, unless k
// and the stride are 1.
at::Tensor weight_gradient(const at::Tensor& of_y, const at::Tensor& x, std::int64_t kernel,
                           const ConvolutionSteps& steps);

// Whether weight_gradient() is faster in bfloat16 on a CPU, by measurements of
// tools/bench/weight_gradient_bench.cpp (PERFORMANCE.md).
bool product_is_faster(const at::Tensor& x, const at::Tensor& weight,
                       const ConvolutionSteps& steps);

// --- A convolution in bfloat16 on a CPU as one autograd node that computes its weight's gradient
// by a matrix product.

// Whether bf16_convolution() accepts these and is faster: autocast to bfloat16 on a CPU, x in
// bfloat16 and channels-last, a weight in float or bfloat16 that requires a gradient.
bool has_bf16_convolution(const at::Tensor& x, const at::Tensor& weight,
                          const ConvolutionSteps& steps);

// at::conv2d() under autocast: x [n, in, h, w], weight [out, in, k, k], y in bfloat16. The weight's
// gradient is rounded to bfloat16 once, like oneDNN's, and returned in the weight's type.
// Differentiable once.
at::Tensor bf16_convolution(const at::Tensor& x, const at::Tensor& weight,
                            const ConvolutionSteps& steps);

// weight is [out, in], bias [out]; both are drawn from U(-1/sqrt(in), 1/sqrt(in)), as in
// torch.nn.Linear.
struct Linear : torch::nn::Module {
  Linear(std::int64_t in, std::int64_t out);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight, bias;
};

// weight [out, in, k, k] is drawn from N(0, sqrt(2 / (out k^2))), as in torchvision's ResNets;
// padding is k / 2; there is no bias. `fused`: by our own node where that is faster
// (bf16_convolution()).
struct Convolution : torch::nn::Module {
  Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t step,
              at::MemoryFormat memory_format, bool fused);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight;
  ConvolutionSteps steps;

 private:
  bool fused_;
};

using Shortcut = std::function<at::Tensor()>;

// momentum is 0.1, eps 1e-5. `batches` is the buffer num_batches_tracked. All norms of a network
// share this tensor, since their counts are equal (but for skipped branches, and nothing reads the
// count); so one addition per step updates them all, which forward() leaves to others. A second
// pass over a batch does not update the running statistics. `fused`: the norm and what follows it
// are one node, where there is one (fused_norm.h); else ATen's operators, which work in place on
// the norm's output.
struct BatchNorm : torch::nn::Module {
  BatchNorm(std::int64_t channels, const at::Tensor& batches, bool fused,
            double initial_weight = 1);
  // `shortcut` makes tail.shortcut; empty: there is none. Throws configuration() (78) when training
  // sees one value per channel, which has no variance.
  Fork forward(const at::Tensor& x, Pass pass, NormTail tail, const Shortcut& shortcut = {}) const;

  at::Tensor weight, bias, running_mean, running_var;

 private:
  void refuse_single_values(const at::Tensor& x) const;

  bool fused_;
};

// Normalises over the last dimension.
struct LayerNorm : torch::nn::Module {
  LayerNorm(std::int64_t features, double epsilon);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight, bias;
  double eps;
};

}  // namespace scalemark::workloads
