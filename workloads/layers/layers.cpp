#include "workloads/layers/layers.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/error.h"
#include "engine/torch/compat.h"
#include "workloads/layers/weight_copies.h"
#include "workloads/networks/classification.h"

namespace scalemark::workloads {
namespace {

// Views images as [n, h, w, channels], their order in memory.
at::Tensor rows_of(const at::Tensor& images) { return images.permute({0, 2, 3, 1}); }

// Returns the input values for each output pixel, one row per pixel: [n h' w', k k in].
at::Tensor patches_of(const at::Tensor& x, std::int64_t height, std::int64_t width,
                      std::int64_t kernel, const ConvolutionSteps& steps) {
  const std::int64_t n = x.size(0), in = x.size(1), s = steps.stride, p = steps.padding;
  if (kernel == 1 && s == 1 && p == 0) return rows_of(x).reshape({-1, in});
  const at::Tensor padded = rows_of(
      p == 0 ? x : at::constant_pad_nd(x, {p, p, p, p}).contiguous(at::MemoryFormat::ChannelsLast));
  const auto strides = padded.strides();
  return padded
      .as_strided({n, height, width, kernel, kernel, in},
                  {strides[0], s * strides[1], s * strides[2], strides[1], strides[2], strides[3]})
      .reshape({n * height * width, kernel * kernel * in});
}

}  // namespace

at::Tensor weight_gradient(const at::Tensor& of_y, const at::Tensor& x, std::int64_t kernel,
                           const ConvolutionSteps& steps) {
  const std::int64_t out = of_y.size(1), in = x.size(1);
  const at::Tensor gradients = rows_of(of_y).reshape({-1, out});
  const at::Tensor patches = patches_of(x, of_y.size(2), of_y.size(3), kernel, steps);
  return at::mm(gradients.t(), patches).view({out, kernel, kernel, in}).permute({0, 3, 1, 2});
}

// oneDNN's kernel keeps a weight's sums in float and adds to them image by image, which is slow
// where the weight is large compared with the images. Only there is a copy of patches worth its
// time. The bounds were measured with 2 threads of a Xeon without AMX, at 224 and 64 px:
// PERFORMANCE.md.
bool product_is_faster(const at::Tensor& x, const at::Tensor& weight,
                       const ConvolutionSteps& steps) {
  const std::int64_t kernel = weight.size(2), pairs = weight.size(0) * weight.size(1);
  const std::int64_t rows = x.size(0) * (x.size(2) / steps.stride) * (x.size(3) / steps.stride);
  if (kernel == 1) return pairs >= 2 * rows;
  return kernel == 3 && pairs >= 512 * rows;
}

namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

constexpr auto kLayout = at::MemoryFormat::ChannelsLast;

struct Bf16ConvolutionBackward final : torch::autograd::Node {
  SavedVariable x, rounded;  // the weight in bfloat16
  ConvolutionSteps steps;
  at::ScalarType weight_type = at::kFloat;

  std::string name() const override { return "Bf16ConvolutionBackward"; }

  variable_list apply(variable_list&& of_outputs) override {
    const std::lock_guard lock(mutex_);
    variable_list result(2);
    if (!of_outputs[0].defined()) return result;
    // This must happen while autograd is on: where the tensors were dropped, unpacking runs a part
    // of the network again.
    const at::Tensor in = x.unpack(), weight = rounded.unpack();
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const at::Tensor of_y = of_outputs[0].contiguous(kLayout);
    if (task_should_compute_output(0)) {
      const auto [stride, padding] = steps;
      constexpr std::array<bool, 3> kOfInput{true, false, false};
      result[0] = std::get<0>(at::convolution_backward(
          of_y, in, weight, {}, {stride, stride}, {padding, padding}, {1, 1},
          /*transposed=*/false, {0, 0}, /*groups=*/1, kOfInput));
    }
    if (task_should_compute_output(1)) {
      result[1] = weight_gradient(of_y, in, weight.size(2), steps).to(weight_type);
    }
    return result;
  }

  void release_variables() override {
    const std::lock_guard lock(mutex_);
    x.reset_data();
    rounded.reset_data();
  }
};

bool autocasts_to_bf16() {
  return at::autocast::is_autocast_enabled(at::kCPU) &&
         at::autocast::get_autocast_dtype(at::kCPU) == at::kBFloat16;
}

}  // namespace

bool has_bf16_convolution(const at::Tensor& x, const at::Tensor& weight,
                          const ConvolutionSteps& steps) {
  return x.is_cpu() && autocasts_to_bf16() && x.scalar_type() == at::kBFloat16 && x.dim() == 4 &&
         x.is_contiguous(kLayout) &&
         (weight.scalar_type() == at::kFloat || weight.scalar_type() == at::kBFloat16) &&
         torch::autograd::compute_requires_grad(weight) && product_is_faster(x, weight, steps);
}

at::Tensor bf16_convolution(const at::Tensor& x, const at::Tensor& weight,
                            const ConvolutionSteps& steps) {
  at::Tensor y, rounded;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const auto [stride, padding] = steps;
    rounded = weight.to(at::kBFloat16);
    y = at::convolution(x, rounded, {}, {stride, stride}, {padding, padding}, {1, 1},
                        /*transposed=*/false, {0, 0}, /*groups=*/1);
  }
  const auto node = compat::make_node<Bf16ConvolutionBackward>();
  node->set_next_edges(torch::autograd::collect_next_edges(x, weight));
  node->steps = steps;
  node->weight_type = weight.scalar_type();
  node->x = SavedVariable(x, /*is_output=*/false);
  node->rounded = SavedVariable(rounded, false);
  torch::autograd::set_history(y, node);
  return y;
}

namespace {

constexpr double kBatchNormMomentum = 0.1;
constexpr double kBatchNormEps = 1e-5;

// The shortcut is computed after the norm, as in torchvision. So gradients come in torchvision's
// order, too, and DDP fills its buckets in that order.
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
  // The weight comes first, since gradients come in the reverse order.
  const at::Tensor of_weight = weight_copy(weight);
  return linear(x, of_weight, weight_copy(bias));
}

Convolution::Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t step,
                         at::MemoryFormat memory_format, bool fused)
    : steps{.stride = step, .padding = kernel / 2}, fused_(fused) {
  const double deviation = std::sqrt(2 / static_cast<double>(out * kernel * kernel));
  const auto fresh = at::empty({out, in, kernel, kernel}).normal_(0, deviation);
  // fresh.contiguous(memory_format) would not do: a 1x1 filter counts as contiguous in every format
  // and would keep its strides, which then differ from its gradient's and cost the reducer a copy
  // per step.
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

// Settings that would lead here are refused before there is a network.
void BatchNorm::refuse_single_values(const at::Tensor& x) const {
  if (!is_training() || x.numel() != x.size(1)) return;
  throw configuration("batch norm got one value per channel",
                      "more than 1 value per channel when training",
                      "give a larger --batch-size or --image-size");
}

// Training writes running statistics and never reads them, so a second pass writes into memory that
// is not used. Without such memory autograd would save other tensors than in the first pass.
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
