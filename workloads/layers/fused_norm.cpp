#include "workloads/layers/fused_norm.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "engine/torch/compat.h"
#include "kernels/instruction_set.h"
#include "kernels/norm/norm_kernels.h"
#include "workloads/layers/layer_operators.h"

namespace scalemark::workloads {
namespace {

at::Tensor room_for_mask(const at::Tensor& x) {
  const std::int64_t channels = x.size(1);
  return at::empty({x.numel() / channels, kernels::mask_stride(channels)}, at::kByte);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> forward_on_cpu(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    const MaybeTensor& running_mean, const MaybeTensor& running_variance,
    const MaybeTensor& shortcut, bool training, double momentum, double eps, double gain, bool relu,
    bool keeps_mask) {
  const auto set = kernels::widest();
  const RunningStatistics running{running_mean.value_or(at::Tensor()),
                                  running_variance.value_or(at::Tensor()), momentum};
  const at::Tensor statistics = training ? norm_statistics(x, eps, running, set)
                                         : norm_statistics(running.mean, running.variance, eps);
  at::Tensor positive = keeps_mask ? room_for_mask(x) : at::Tensor();
  const NormForward forward{.x = x,
                            .weight = weight,
                            .bias = bias,
                            .shortcut = shortcut.value_or(at::Tensor()),
                            .gain = gain,
                            .relu = relu};
  return {norm_forward(forward, statistics, positive, set), statistics, positive};
}

std::tuple<at::Tensor, at::Tensor> backward_on_cpu(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& statistics, const MaybeTensor& positive, const at::Tensor& of_y,
    const MaybeTensor& of_y_too, const MaybeTensor& of_sum, const MaybeTensor& of_x, double gain,
    bool relu) {
  const NormForward forward{.x = x, .weight = weight, .bias = bias, .gain = gain, .relu = relu};
  const NormBackward backward{.statistics = statistics,
                              .positive = positive.value_or(at::Tensor()),
                              .of_y = of_y,
                              .of_y_too = of_y_too.value_or(at::Tensor()),
                              .of_sum = of_sum.value_or(at::Tensor()),
                              .of_x = of_x.value_or(at::Tensor())};
  const auto gradients = norm_backward(forward, backward, kernels::widest());
  return {gradients.weight, gradients.bias};
}

}  // namespace

// The operators scalemark::norm_forward and norm_backward: schemas and the CPU's kernels. CUDA's
// kernels register themselves when the CUDA plugin is loaded.
TORCH_LIBRARY_FRAGMENT(scalemark, library) {
  library.def(
      "norm_forward(Tensor x, Tensor weight, Tensor bias, Tensor(a!)? running_mean, Tensor(b!)? "
      "running_variance, Tensor? shortcut, bool training, float momentum, float eps, float gain, "
      "bool relu, bool keeps_mask) -> (Tensor, Tensor, Tensor)");
  library.def(
      "norm_backward(Tensor x, Tensor weight, Tensor bias, Tensor statistics, Tensor? positive, "
      "Tensor of_y, Tensor? of_y_too, Tensor(a!)? of_sum, Tensor(b!)? of_x, float gain, bool relu) "
      "-> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(scalemark, CPU, library) {
  library.impl("norm_forward", &forward_on_cpu);
  library.impl("norm_backward", &backward_on_cpu);
}

NormResult run_norm(const NormForward& forward, const NormStatistics& statistics, bool keeps_mask) {
  static const auto kOperator = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("scalemark::norm_forward", "")
                                    .typed<decltype(forward_on_cpu)>();
  auto [y, kept, positive] = kOperator.call(
      forward.x, forward.weight, forward.bias, if_defined(statistics.running.mean),
      if_defined(statistics.running.variance), if_defined(forward.shortcut), statistics.training,
      statistics.running.momentum, statistics.eps, forward.gain, forward.relu, keeps_mask);
  return {std::move(y), std::move(kept), std::move(positive)};
}

NormParameterGradients run_norm_backward(const NormForward& forward, const NormBackward& backward) {
  static const auto kOperator = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("scalemark::norm_backward", "")
                                    .typed<decltype(backward_on_cpu)>();
  auto [weight, bias] = kOperator.call(forward.x, forward.weight, forward.bias, backward.statistics,
                                       if_defined(backward.positive), backward.of_y,
                                       if_defined(backward.of_y_too), if_defined(backward.of_sum),
                                       if_defined(backward.of_x), forward.gain, forward.relu);
  return {std::move(weight), std::move(bias)};
}

bool has_norm_kernels(const at::Tensor& x) {
  const auto type = x.scalar_type();
  if (type == at::kFloat || type == at::kBFloat16) return x.is_cpu() || x.is_cuda();
  return type == at::kDouble ? x.is_cpu() : type == at::kHalf && x.is_cuda();
}

namespace {

using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast;

bool is_ours_alone(const at::Tensor& tensor) {
  return tensor.use_count() == 1 && tensor.has_storage() && tensor.storage().use_count() == 1;
}

// The gradients of a node's outputs, and memory for results: that of the gradients, where nothing
// else uses it.
class Gradients {
 public:
  explicit Gradients(variable_list&& all) {
    for (at::Tensor& gradient : all) {
      if (!gradient.defined()) continue;
      at::Tensor usable = gradient.is_contiguous(kChannelsLast)
                              ? std::move(gradient)
                              : gradient.contiguous(kChannelsLast);
      const bool spare = !at::GradMode::is_enabled() && is_ours_alone(usable);
      (first.defined() ? second : first) = usable;
      if (spare) spare_.push_back(std::move(usable));
    }
  }

  at::Tensor take_memory() {
    if (spare_.empty()) return at::empty(first.sizes(), first.options(), kChannelsLast);
    at::Tensor memory = std::move(spare_.back());
    spare_.pop_back();
    return memory;
  }

  at::Tensor first, second;  // undefined where there are fewer gradients

 private:
  variable_list spare_;
};

// Returns the gradients of x, weight, bias and shortcut, in this order, which is that of ATen's
// node.
struct FusedNormBackward final : torch::autograd::Node {
  SavedVariable x, weight, bias, statistics, positive;
  double gain = 1;
  bool relu = false;

  std::string name() const override { return "FusedNormBackward"; }

  variable_list apply(variable_list&& of_outputs) override {
    const std::lock_guard lock(mutex_);
    Gradients gradients(std::move(of_outputs));
    if (!gradients.first.defined()) return variable_list(4);
    // This must happen while autograd is on: where the tensors were dropped, unpacking runs a part
    // of the network again.
    const NormForward forward{.x = x.unpack(),
                              .weight = weight.unpack(),
                              .bias = bias.unpack(),
                              .gain = gain,
                              .relu = relu};
    NormBackward backward{.statistics = statistics.unpack(),
                          .positive = positive.unpack(),
                          .of_y = gradients.first,
                          .of_y_too = gradients.second};
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    make_room(gradients, backward);
    return handed_on(run_norm_backward(forward, backward), backward);
  }

  void release_variables() override {
    const std::lock_guard lock(mutex_);
    for (SavedVariable* saved : {&x, &weight, &bias, &statistics, &positive}) saved->reset_data();
  }

 private:
  void make_room(Gradients& gradients, NormBackward& backward) const {
    if (gradients.second.defined() || backward.positive.defined()) {
      backward.of_sum = gradients.take_memory();
    }
    if (!task_should_compute_output(0)) return;
    const bool sum_is_left = backward.of_sum.defined() && !task_should_compute_output(3);
    backward.of_x = sum_is_left ? backward.of_sum : gradients.take_memory();
  }

  variable_list handed_on(NormParameterGradients of_parameters,
                          const NormBackward& backward) const {
    variable_list result(4);
    result[0] = backward.of_x;
    if (task_should_compute_output(1)) result[1] = std::move(of_parameters.weight);
    if (task_should_compute_output(2)) result[2] = std::move(of_parameters.bias);
    if (task_should_compute_output(3)) result[3] = backward.of_sum;
    return result;
  }
};

bool wants_gradients(const at::Tensor& x, const NormState& state, const NormTail& tail) {
  return torch::autograd::compute_requires_grad(x, state.weight, state.bias, tail.shortcut);
}

bool is_activation(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && tensor.dim() == 4 && tensor.numel() > 0 &&
         tensor.is_contiguous(kChannelsLast) && has_norm_kernels(tensor);
}

bool is_parameter(const at::Tensor& tensor, const at::Tensor& x) {
  const auto type = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  return tensor.defined() && tensor.device() == x.device() && tensor.scalar_type() == type &&
         tensor.is_contiguous() && tensor.numel() == x.size(1);
}

// Training needs no running statistics.
bool has_statistics(const NormState& state, const at::Tensor& x) {
  const auto fits = [&](const at::Tensor& tensor) {
    return (state.training && !tensor.defined()) || is_parameter(tensor, x);
  };
  return fits(state.running_mean) && fits(state.running_var);
}

// The second output shares memory and version counter with the first without being its view, so
// that the node has two outputs.
Fork outputs_of(const at::Tensor& y, bool fork) {
  if (!fork) return {y, y};
  at::Tensor again = at::alias(y);
  torch::autograd::impl::set_version_counter(again, torch::autograd::impl::version_counter(y));
  return {y, again};
}

}  // namespace

bool has_fused_norm(const at::Tensor& x, const NormState& state, const NormTail& tail) {
  if (!is_activation(x)) return false;
  const at::Tensor& added = tail.shortcut;
  const bool fits =
      !added.defined() || (tail.relu && is_activation(added) && added.sizes() == x.sizes() &&
                           added.scalar_type() == x.scalar_type() && added.device() == x.device());
  return fits && is_parameter(state.weight, x) && is_parameter(state.bias, x) &&
         has_statistics(state, x) && (state.training || !wants_gradients(x, state, tail));
}

Fork fused_norm(const at::Tensor& x, const NormState& state, const NormTail& tail) {
  TORCH_CHECK(has_fused_norm(x, state, tail),
              "fused_norm takes channels_last tensors that has_fused_norm() allows");
  RECORD_FUNCTION("scalemark::fused_norm", c10::ArrayRef<const c10::IValue>{});
  const bool with_graph = wants_gradients(x, state, tail);
  NormResult norm;
  Fork y;
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    norm = run_norm({.x = x,
                     .weight = state.weight,
                     .bias = state.bias,
                     .shortcut = tail.shortcut,
                     .gain = tail.gain,
                     .relu = tail.relu},
                    {.running = {state.running_mean, state.running_var, state.momentum},
                     .eps = state.eps,
                     .training = state.training},
                    /*keeps_mask=*/with_graph && tail.shortcut.defined());
    y = outputs_of(norm.y, tail.fork && with_graph);
  }
  if (!with_graph) return y;
  const auto node = compat::make_node<FusedNormBackward>();
  node->set_next_edges(
      torch::autograd::collect_next_edges(x, state.weight, state.bias, tail.shortcut));
  node->gain = tail.gain;
  node->relu = tail.relu;
  node->x = SavedVariable(x, /*is_output=*/false);
  node->weight = SavedVariable(state.weight, false);
  node->bias = SavedVariable(state.bias, false);
  node->statistics = SavedVariable(norm.kept, false);
  node->positive = SavedVariable(norm.positive, false);
  torch::autograd::set_history(y.branch, node);
  if (tail.fork) torch::autograd::set_history(y.shortcut, node);
  return y;
}

}  // namespace scalemark::workloads
