#include "engine/step/parameter_group.h"

#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <utility>

namespace scalemark::training {

bool lie_alike(const ParameterLists& lists) {
  const at::Tensor& first = lists.parameters.front();
  for (std::size_t i = 0; i < lists.parameters.size(); ++i) {
    const at::Tensor& parameter = lists.parameters[i];
    const auto lies_otherwise = [&](const at::Tensor& other) {
      return other.scalar_type() != first.scalar_type() || !same_layout(parameter, other);
    };
    if (parameter.device() != first.device() || !parameter.is_non_overlapping_and_dense() ||
        lies_otherwise(parameter) || lies_otherwise(lists.gradients[i])) {
      return false;
    }
    for (const auto& state : lists.state) {
      if (!state.empty() && lies_otherwise(state[i])) return false;
    }
  }
  return true;
}

ParameterGroup::ParameterGroup(const std::vector<NamedParameter>& parameters, double weight_decay)
    : weight_decay_(weight_decay) {
  all_.parameters = tensors_of(parameters);
  for (const NamedParameter& parameter : parameters) names_.push_back(parameter.name);
}

void ParameterGroup::add_zero_state(std::size_t slot) {
  for (const at::Tensor& parameter : all_.parameters) {
    all_.state[slot].push_back(at::zeros_like(parameter.detach()));
  }
}

void ParameterGroup::set_state(std::size_t slot, std::vector<at::Tensor> state) {
  all_.state[slot] = std::move(state);
}

const ParameterLists& ParameterGroup::with_gradients() {
  std::size_t found = 0;
  bool same = true;
  for (std::size_t i = 0; i < all_.parameters.size(); ++i) {
    if (!gradient_of(i).defined()) continue;
    same = same && found < active_indices_.size() && active_indices_[found] == i;
    ++found;
  }
  if (!same || found != active_indices_.size()) rebuild_active();
  for (std::size_t i = 0; i < active_indices_.size(); ++i) {
    active_.gradients[i] = gradient_of(active_indices_[i]);
    active_.copies[i] = copies_ ? copies_->find(active_.parameters[i]) : nullptr;
  }
  return active_;
}

void ParameterGroup::cast_gradients() {
  for (std::size_t i = 0; i < active_.gradients.size(); ++i) {
    at::Tensor& gradient = active_.gradients[i];
    const auto type = active_.parameters[i].scalar_type();
    if (gradient.scalar_type() != type) gradient = gradient.to(type);
  }
}

// A weight that is used both with and without its copy has parts of its gradient in both places.
at::Tensor ParameterGroup::gradient_of(std::size_t parameter) {
  at::Tensor& own = all_.parameters[parameter].mutable_grad();
  workloads::WeightCopy* copy = copies_ ? copies_->find(all_.parameters[parameter]) : nullptr;
  if (!copy || !copy->gradient.defined()) return own;
  if (!own.defined()) return copy->gradient;
  own.add_(copy->gradient);
  copy->gradient.reset();
  return own;
}

void ParameterGroup::visit_state(StateVisitor& visitor) {
  std::size_t slot = 0;
  for (std::vector<at::Tensor>& tensors : all_.state) {
    const std::string prefix = "optimizer." + std::to_string(slot++) + ".";
    for (std::size_t i = 0; i < tensors.size(); ++i) visitor.visit(prefix + names_[i], tensors[i]);
  }
}

void ParameterGroup::release_gradients() {
  for (at::Tensor& gradient : active_.gradients) gradient.reset();
  for (workloads::WeightCopy* copy : active_.copies) {
    if (copy) copy->gradient.reset();
  }
}

void ParameterGroup::rebuild_active() {
  active_ = {};
  active_indices_.clear();
  for (std::size_t i = 0; i < all_.parameters.size(); ++i) {
    if (!gradient_of(i).defined()) continue;
    active_indices_.push_back(i);
    active_.parameters.push_back(all_.parameters[i]);
    for (std::size_t slot = 0; slot < ParameterLists::kStates; ++slot) {
      if (!all_.state[slot].empty()) active_.state[slot].push_back(all_.state[slot][i]);
    }
  }
  active_.gradients.resize(active_.parameters.size());
  active_.copies.resize(active_.parameters.size());
}

std::vector<ParameterGroup> make_groups(const std::vector<NamedParameter>& parameters,
                                        double weight_decay, bool decay_norms_and_biases,
                                        Split split) {
  const bool apart = split == Split::kByKind || (!decay_norms_and_biases && weight_decay != 0);
  std::vector<NamedParameter> first, second;
  for (const NamedParameter& parameter : parameters) {
    const bool is_second = apart && parameter.norm_or_bias;
    (is_second ? second : first).push_back(parameter);
  }
  std::vector<ParameterGroup> groups;
  groups.emplace_back(first, weight_decay);
  if (apart) groups.emplace_back(second, decay_norms_and_biases ? weight_decay : 0);
  return groups;
}

}  // namespace scalemark::training
