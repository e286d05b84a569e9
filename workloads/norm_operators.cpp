// The operators scalemark::norm_forward and norm_backward: schemas and kernels of the CPU. Those of
// CUDA register themselves when the CUDA part is loaded.
#include "workloads/norm_operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <tuple>

#include "kernels/instruction_set.h"
#include "kernels/norm/norm_kernels.h"
#include "workloads/maybe_tensor.h"

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

}  // namespace scalemark::workloads
