#include "workloads/layer_operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "workloads/maybe_tensor.h"

namespace scalemark::workloads {
namespace {

constexpr std::int64_t kMostColumns = 1024;  // kMostNormColumns of engine/cuda/residual_norm.cuh

using Two = std::tuple<at::Tensor, at::Tensor>;
using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using Four = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

c10::OperatorHandle find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

bool is_activation(at::ScalarType type) {
  return type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(scalemark, library) {
  library.def(
      "residual_norm(Tensor x, Tensor bias, Tensor residual, Tensor weight, Tensor norm_bias, "
      "float eps, float dropout) -> (Tensor, Tensor, Tensor, Tensor)");
  library.def(
      "residual_norm_gradient(Tensor of_y, Tensor? of_y_too, Tensor sum, Tensor statistics, "
      "Tensor? mask, Tensor weight, float dropout) -> (Tensor, Tensor, Tensor)");
  library.def("bias_gelu(Tensor x, Tensor bias) -> Tensor");
  library.def("bias_gelu_gradient(Tensor of_y, Tensor x, Tensor bias) -> (Tensor, Tensor)");
  library.def(
      "pack_projections(Tensor[] weights, Tensor[] biases, ScalarType dtype) -> (Tensor, Tensor)");
  library.def("pack_gradients(Tensor[] of_outputs) -> (Tensor, Tensor)");
}

bool has_layer_operators(const at::Tensor& x) {
  static const auto kOperator = find("scalemark::residual_norm");
  if (!(x.is_cuda() || x.is_cpu()) || x.dim() == 0) return false;
  // In double only the kernels' tests compute, on a CPU.
  const bool has_type =
      is_activation(x.scalar_type()) || (x.is_cpu() && x.scalar_type() == at::kDouble);
  return has_type && kOperator.hasKernelForDispatchKey(x.is_cuda() ? c10::DispatchKey::CUDA
                                                                   : c10::DispatchKey::CPU);
}

bool has_norm_operator(const at::Tensor& x) {
  return has_layer_operators(x) && x.size(-1) <= kMostColumns;
}

NormPass residual_norm_pass(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                            const at::Tensor& weight, const at::Tensor& norm_bias, double eps,
                            double dropout) {
  static const auto kOperator =
      find("scalemark::residual_norm")
          .typed<Four(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                      const at::Tensor&, double, double)>();
  auto [y, sum, statistics, mask] =
      kOperator.call(x, bias, residual, weight, norm_bias, eps, dropout);
  return {.y = y, .sum = sum, .statistics = statistics, .mask = mask};
}

NormGradientPass residual_norm_gradient_pass(const at::Tensor& of_y, const at::Tensor& of_y_too,
                                             const NormPass& kept, const at::Tensor& weight,
                                             double dropout) {
  static const auto kOperator =
      find("scalemark::residual_norm_gradient")
          .typed<Three(const at::Tensor&, const MaybeTensor&, const at::Tensor&, const at::Tensor&,
                       const MaybeTensor&, const at::Tensor&, double)>();
  auto [of_x, of_residual, of_parameters] =
      kOperator.call(of_y, if_defined(of_y_too), kept.sum, kept.statistics, if_defined(kept.mask),
                     weight, dropout);
  return {.of_x = of_x, .of_residual = of_residual, .of_parameters = of_parameters};
}

at::Tensor bias_gelu_pass(const at::Tensor& x, const at::Tensor& bias) {
  static const auto kOperator =
      find("scalemark::bias_gelu").typed<at::Tensor(const at::Tensor&, const at::Tensor&)>();
  return kOperator.call(x, bias);
}

std::tuple<at::Tensor, at::Tensor> bias_gelu_gradient_pass(const at::Tensor& of_y,
                                                           const at::Tensor& x,
                                                           const at::Tensor& bias) {
  static const auto kOperator =
      find("scalemark::bias_gelu_gradient")
          .typed<Two(const at::Tensor&, const at::Tensor&, const at::Tensor&)>();
  return kOperator.call(of_y, x, bias);
}

std::tuple<at::Tensor, at::Tensor> pack_projections_pass(at::TensorList weights,
                                                         at::TensorList biases,
                                                         at::ScalarType type) {
  static const auto kOperator = find("scalemark::pack_projections")
                                    .typed<Two(at::TensorList, at::TensorList, at::ScalarType)>();
  return kOperator.call(weights, biases, type);
}

std::tuple<at::Tensor, at::Tensor> pack_gradients_pass(at::TensorList of_outputs) {
  static const auto kOperator = find("scalemark::pack_gradients").typed<Two(at::TensorList)>();
  return kOperator.call(of_outputs);
}

}  // namespace scalemark::workloads
