// The tensors that a step changes: a module's trainable ones under their names, each once, with
// their bytes, the norms of whole matrices, and the walk over all state of a training run. Knows
// nothing of the use of gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torch::nn {

class Module;

}  // namespace torch::nn

namespace scalemark::training {

// PyTorch's own notion, used for weight-decay groups and trust ratios: vectors and scalars are
// biases and norm weights, everything else is a matrix or a filter.
bool is_norm_or_bias(const at::Tensor& parameter);

struct NamedParameter {
  std::string name;
  at::Tensor tensor;
  bool norm_or_bias = is_norm_or_bias(tensor);  // a piece takes it from the whole parameter
};

// The elements of a parameter that a rank holds, counted in the order of the parameter's memory.
struct Piece {
  std::string whole;  // the parameter's name
  std::int64_t begin = 0, end = 0;
};

// Returns "fc.weight[0:512]".
std::string name_of(const Piece& piece);

// Returns the piece with this name, empty for the name of a whole parameter.
std::optional<Piece> piece_named(std::string_view name);

// Returns the parameters in registration order, like Python's module.named_parameters(): a tensor
// that is registered twice (BERT's tied decoder) is listed under its first name only; frozen ones
// are left out.
std::vector<NamedParameter> trainable_parameters(torch::nn::Module& module);

// Returns every buffer (running means, counters) once, in registration order.
std::vector<at::Tensor> buffers_of(torch::nn::Module& module);

// Moves tensors of one device into one memory per type, of which each becomes a part, and returns
// these memories. Call it before the first step: holders of the old memory do not see the new one.
std::vector<at::Tensor> in_one_memory(const std::vector<at::Tensor>& tensors);

std::vector<at::Tensor> tensors_of(const std::vector<NamedParameter>& parameters);

inline std::int64_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

inline std::int64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += bytes_of(tensor);
  return bytes;
}

// Visitors walk the state of a training run: one walk serves every use (copying, restoring, writing
// to files, comparing). Knows neither the state's owner nor the visitor's use of it.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;

  // `name` is unique within a run and the same in every run of equal settings. The visitor reads
  // the value or writes it in place; shape, type and device of a tensor do not change.
  virtual void visit(const std::string& name, at::Tensor& tensor) = 0;
  virtual void visit(const std::string& name, std::int64_t& number) = 0;
};

// Returns the norms of whole matrices, for optimizers that treat layers separately while a rank
// holds pieces of them. Collective. [rows, pieces] -> [rows, pieces]: takes the 2-norms of a rank's
// pieces, in the order of its optimizer's parameters, and returns those of the matrices to which
// they belong. Empty where every rank holds whole matrices.
using WholeNorms = std::function<at::Tensor(const at::Tensor& norms)>;

}  // namespace scalemark::training
