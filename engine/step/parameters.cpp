#include "engine/step/parameters.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <torch/nn/module.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <unordered_set>

namespace scalemark::training {

std::string name_of(const Piece& piece) {
  return piece.whole + "[" + std::to_string(piece.begin) + ":" + std::to_string(piece.end) + "]";
}

std::optional<Piece> piece_named(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  Piece piece{.whole = std::string(name.substr(0, open))};
  const char* const end = name.data() + name.size();
  const auto first = std::from_chars(name.data() + open + 1, end, piece.begin);
  if (first.ec != std::errc{} || first.ptr == end) return std::nullopt;
  const auto last = std::from_chars(first.ptr + 1, end, piece.end);
  if (last.ec != std::errc{} || name_of(piece) != name) return std::nullopt;
  return piece;
}

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

std::vector<at::Tensor> in_one_memory(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  std::map<at::ScalarType, std::vector<at::Tensor>> by_type;
  for (const at::Tensor& tensor : tensors) by_type[tensor.scalar_type()].push_back(tensor);
  std::vector<at::Tensor> memories;
  for (const auto& [type, alike] : by_type) {
    std::vector<at::Tensor> rows;
    for (const at::Tensor& tensor : alike) rows.push_back(tensor.reshape(-1));
    memories.push_back(at::cat(rows));
    std::int64_t begin = 0;
    for (const at::Tensor& tensor : alike) {
      tensor.set_data(memories.back().narrow(0, begin, tensor.numel()).view(tensor.sizes()));
      begin += tensor.numel();
    }
  }
  return memories;
}

std::vector<at::Tensor> tensors_of(const std::vector<NamedParameter>& parameters) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(parameters.size());
  for (const NamedParameter& parameter : parameters) tensors.push_back(parameter.tensor);
  return tensors;
}

bool is_norm_or_bias(const at::Tensor& parameter) { return parameter.dim() <= 1; }

}  // namespace scalemark::training
