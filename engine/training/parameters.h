// The trainable tensors of a module under their names, each once. Knows nothing of gradients' use.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace torch::nn {
class Module;
}

namespace scalemark::training {

// PyTorch's own notion, used for weight-decay groups and trust ratios: vectors and scalars are
// biases and norm weights, everything else is a matrix or a filter.
bool is_norm_or_bias(const at::Tensor& parameter);

struct NamedParameter {
  std::string name;
  at::Tensor tensor;
  bool norm_or_bias = is_norm_or_bias(tensor);  // of a piece: what the whole is
};

// In registration order, as Python's module.named_parameters(): a tensor that is registered twice
// (BERT's tied decoder) is listed under its first name only; frozen ones are left out.
std::vector<NamedParameter> trainable_parameters(torch::nn::Module& module);

// Every buffer (running means, counters), each once, in registration order.
std::vector<at::Tensor> buffers_of(torch::nn::Module& module);

// Moves tensors of one device into one memory per type, of which each becomes a part, and returns
// those memories. Before the first step: what holds the old memory does not see the new one.
std::vector<at::Tensor> in_one_memory(const std::vector<at::Tensor>& tensors);

std::vector<at::Tensor> tensors_of(const std::vector<NamedParameter>& parameters);

}  // namespace scalemark::training
