#include "workloads/bf16_convolution.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <array>
#include <memory>
#include <mutex>
#include <string>

namespace scalemark::workloads {
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
    // Before autograd is left: where they were dropped, this runs a part of the network again.
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
  const auto node = std::make_shared<Bf16ConvolutionBackward>();
  node->set_next_edges(torch::autograd::collect_next_edges(x, weight));
  node->steps = steps;
  node->weight_type = weight.scalar_type();
  node->x = SavedVariable(x, /*is_output=*/false);
  node->rounded = SavedVariable(rounded, false);
  torch::autograd::set_history(y, node);
  return y;
}

}  // namespace scalemark::workloads
