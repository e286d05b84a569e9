#include "engine/training/parameters.h"

#include <torch/nn/module.h>

#include <unordered_set>

namespace scalemark::training {

std::vector<NamedParameter> trainable_parameters(torch::nn::Module& module) {
  std::vector<NamedParameter> unique;
  std::unordered_set<const void*> seen;
  for (const auto& item : module.named_parameters()) {
    const at::Tensor& tensor = item.value();
    if (!tensor.defined() || !tensor.requires_grad()) continue;
    if (seen.insert(tensor.unsafeGetTensorImpl()).second) unique.push_back({item.key(), tensor});
  }
  return unique;
}

std::vector<at::Tensor> buffers_of(torch::nn::Module& module) {
  std::vector<at::Tensor> unique;
  std::unordered_set<const void*> seen;
  for (const at::Tensor& buffer : module.buffers()) {
    if (buffer.defined() && seen.insert(buffer.unsafeGetTensorImpl()).second) {
      unique.push_back(buffer);
    }
  }
  return unique;
}

std::vector<at::Tensor> tensors_of(const std::vector<NamedParameter>& parameters) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(parameters.size());
  for (const NamedParameter& parameter : parameters) tensors.push_back(parameter.tensor);
  return tensors;
}

bool is_norm_or_bias(const at::Tensor& parameter) { return parameter.dim() <= 1; }

}  // namespace scalemark::training
