#include "workloads/layers.h"

#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <cmath>

#include "core/base/error.h"
#include "workloads/bf16_convolution.h"
#include "workloads/fused_functions.h"
#include "workloads/weight_copies.h"

namespace scalemark::workloads {
namespace {

constexpr double kBatchNormMomentum = 0.1;
constexpr double kBatchNormEps = 1e-5;

// The shortcut comes behind the norm, as in torchvision: so gradients come in its order, too, by
// which DDP fills its buckets.
Fork plain_norm(const at::Tensor& x, const NormState& state, const NormTail& tail,
                const Shortcut& shortcut) {
  at::Tensor y = at::batch_norm(x, state.weight, state.bias, state.running_mean, state.running_var,
                                state.training, state.momentum, state.eps, /*cudnn_enabled=*/true);
  if (tail.gain != 1) y.mul_(tail.gain);
  if (shortcut) y.add_(shortcut());
  if (tail.relu) y.relu_();
  return {y, y};
}

}  // namespace

Linear::Linear(std::int64_t in, std::int64_t out) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  weight = register_parameter("weight", at::empty({out, in}).uniform_(-bound, bound));
  bias = register_parameter("bias", at::empty({out}).uniform_(-bound, bound));
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  const at::Tensor of_weight = weight_copy(weight);  // first: gradients come in the reverse order
  return linear(x, of_weight, weight_copy(bias));
}

Convolution::Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t step,
                         at::MemoryFormat memory_format, bool fused)
    : steps{.stride = step, .padding = kernel / 2}, fused_(fused) {
  const double deviation = std::sqrt(2 / static_cast<double>(out * kernel * kernel));
  const auto fresh = at::empty({out, in, kernel, kernel}).normal_(0, deviation);
  // Not fresh.contiguous(memory_format): a 1x1 filter counts as contiguous in every format and
  // would keep its strides, which then differ from its gradient's and cost the reducer a copy per
  // step.
  weight = register_parameter(
      "weight", at::empty(fresh.sizes(), fresh.options(), memory_format).copy_(fresh));
}

at::Tensor Convolution::forward(const at::Tensor& x) const {
  const at::Tensor used = weight_copy(weight);
  if (fused_ && has_bf16_convolution(x, used, steps)) return bf16_convolution(x, used, steps);
  return at::conv2d(x, used, {}, steps.stride, steps.padding);
}

BatchNorm::BatchNorm(std::int64_t channels, const at::Tensor& batches, bool fused,
                     double initial_weight)
    : fused_(fused) {
  weight = register_parameter("weight", at::full({channels}, initial_weight, at::kFloat));
  bias = register_parameter("bias", at::zeros({channels}));
  running_mean = register_buffer("running_mean", at::zeros({channels}));
  running_var = register_buffer("running_var", at::ones({channels}));
  register_buffer("num_batches_tracked", batches);
}

// Settings that lead here are refused before there is a network.
void BatchNorm::refuse_single_values(const at::Tensor& x) const {
  if (!is_training() || x.numel() != x.size(1)) return;
  throw configuration("batch norm got one value per channel",
                      "more than 1 value per channel when training",
                      "give a larger --batch-size or --image-size");
}

// Training writes running statistics and never reads them: in a second pass they are memory that
// nobody looks at. Without any, autograd would save other tensors than in the first.
Fork BatchNorm::forward(const at::Tensor& x, Pass pass, NormTail tail,
                        const Shortcut& shortcut) const {
  refuse_single_values(x);
  const bool drop = pass == Pass::kAgain && is_training();
  const NormState state{.weight = weight,
                        .bias = bias,
                        .running_mean = drop ? at::empty_like(running_mean) : running_mean,
                        .running_var = drop ? at::empty_like(running_var) : running_var,
                        .momentum = kBatchNormMomentum,
                        .eps = kBatchNormEps,
                        .training = is_training()};
  if (!fused_ || !has_fused_norm(x, state, tail)) return plain_norm(x, state, tail, shortcut);
  if (shortcut) tail.shortcut = shortcut();
  return fused_norm(x, state, tail);
}

LayerNorm::LayerNorm(std::int64_t features, double epsilon) : eps(epsilon) {
  weight = register_parameter("weight", at::ones({features}));
  bias = register_parameter("bias", at::zeros({features}));
}

at::Tensor LayerNorm::forward(const at::Tensor& x) const {
  return at::layer_norm(x, weight.sizes(), weight, bias, eps);
}

}  // namespace scalemark::workloads
