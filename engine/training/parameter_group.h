// Parameters that share a weight decay, with the optimizer's state for each; an optimizer's private
// bookkeeping. Knows no update rule.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/training/parameters.h"
#include "engine/training/state_visitor.h"
#include "workloads/weight_copies.h"

namespace scalemark::training {

// Lists that run in parallel: entry i of each belongs to parameter i.
struct ParameterLists {
  static constexpr std::size_t kStates = 3;

  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;
  std::array<std::vector<at::Tensor>, kStates> state;  // unused ones stay empty
  std::vector<workloads::WeightCopy*> copies;          // null where there is none

  bool empty() const { return parameters.empty(); }
};

// Whether the parameters are dense, on one device and of one type, and each one's gradient and
// states are of its type and laid out as it is.
bool lie_alike(const ParameterLists& lists);

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

  // The lists restricted to parameters that have a gradient now. Valid until the next call.
  // Allocates only when the set of these parameters changes.
  const ParameterLists& with_gradients();

  // For an update that takes gradients of the parameters' type only: casts the others.
  void cast_gradients();

  // Every state tensor, as "optimizer.<slot>.<parameter>".
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

// kByDecay: one group, or two when norm weights and biases are spared from decay. kByKind: always
// norm weights and biases (second) apart from the rest (first).
std::vector<ParameterGroup> make_groups(const std::vector<NamedParameter>& parameters,
                                        double weight_decay, bool decay_norms_and_biases,
                                        Split split);

}  // namespace scalemark::training
