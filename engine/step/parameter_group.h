// The update rules behind make_optimizer() share this: factories, parameters in groups with the
// optimizer's state, and the elements of many tensors in pieces for threads. Private to the
// optimizers.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/step/optimizer.h"
#include "engine/step/parameters.h"
#include "workloads/layers/parallel.h"
#include "workloads/layers/weight_copies.h"

namespace scalemark::training {

using Parameters = std::vector<NamedParameter>;
using settings::RecipeSettings;

#define SCALEMARK_OPTIMIZER(name, maker, state, update_copies) \
  std::unique_ptr<Optimizer> maker(const Parameters&, const RecipeSettings&, const WholeNorms&);
#include "core/catalogue/optimizer_list.inc"
#undef SCALEMARK_OPTIMIZER

// --- Updates on a CPU split the elements of many tensors into pieces of one size, which threads
// share.
struct TensorChunk {
  std::size_t tensor;
  std::int64_t begin, end;  // elements, in memory order
};

inline constexpr std::int64_t kElementsOfAChunk = 8192;

inline std::vector<TensorChunk> chunks_of(const std::vector<at::Tensor>& tensors) {
  std::vector<TensorChunk> chunks;
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    const std::int64_t size = tensors[tensor].numel();
    for (std::int64_t begin = 0; begin < size; begin += kElementsOfAChunk) {
      chunks.push_back({tensor, begin, std::min(size, begin + kElementsOfAChunk)});
    }
  }
  return chunks;
}

// Calls body(index) for each chunk, in several threads.
template <class Body>
void for_chunks(const std::vector<TensorChunk>& chunks, const Body& body) {
  workloads::parallel_for(0, std::ssize(chunks), 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(static_cast<std::size_t>(i));
  });
}

// Whether both are in one device's memory in the same order.
inline bool same_layout(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.device() != b.device()) return false;
  for (std::int64_t d = 0; d < a.dim(); ++d) {
    if (a.size(d) > 1 && a.stride(d) != b.stride(d)) return false;
  }
  return true;
}

inline bool is_dense_on_cpu(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.is_non_overlapping_and_dense();
}

// Parallel lists: entry i of each belongs to parameter i.
struct ParameterLists {
  static constexpr std::size_t kStates = 3;

  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;
  std::array<std::vector<at::Tensor>, kStates> state;  // unused lists stay empty
  std::vector<workloads::WeightCopy*> copies;          // null where there is no copy

  bool empty() const { return parameters.empty(); }
};

// Whether the parameters are dense, on one device and of one type, and the gradient and states of
// each have its type and layout.
bool lie_alike(const ParameterLists& lists);

// Parameters with one weight decay, and the optimizer's state for each. Knows no update rule.
class ParameterGroup {
 public:
  ParameterGroup(const std::vector<NamedParameter>& parameters, double weight_decay);

  double weight_decay() const { return weight_decay_; }
  bool empty() const { return all_.empty(); }
  const std::vector<at::Tensor>& parameters() const { return all_.parameters; }

  // Gives each parameter zeros of its own shape, layout and dtype as state `slot`.
  void add_zero_state(std::size_t slot);
  void set_state(std::size_t slot, std::vector<at::Tensor> state);

  // From now on a gradient that is kept beside a copy counts as the weight's.
  void use(workloads::WeightCopies* copies) { copies_ = copies; }

  // Returns the lists of the parameters that have a gradient now. Valid until the next call.
  // Allocates only when the set of these parameters changes.
  const ParameterLists& with_gradients();

  // Casts gradients of other types, for an update that takes only the parameters' type.
  void cast_gradients();

  // Visits every state tensor as "optimizer.<slot>.<parameter>".
  void visit_state(StateVisitor& visitor);

  // Call it after the update: a second owner would keep the memory of dropped gradients.
  void release_gradients();

 private:
  at::Tensor gradient_of(std::size_t parameter);
  void rebuild_active();

  double weight_decay_;
  std::vector<std::string> names_;
  ParameterLists all_;
  ParameterLists active_;
  std::vector<std::size_t> active_indices_;
  workloads::WeightCopies* copies_ = nullptr;
};

enum class Split { kByDecay, kByKind };

// kByDecay: one group, or two when norm weights and biases are exempt from decay. kByKind: always
// norm weights and biases (second) separate from the rest (first).
std::vector<ParameterGroup> make_groups(const std::vector<NamedParameter>& parameters,
                                        double weight_decay, bool decay_norms_and_biases,
                                        Split split);

}  // namespace scalemark::training
