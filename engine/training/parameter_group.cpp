#include "engine/training/parameter_group.h"

#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <utility>

namespace scalemark::training {

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
    if (!all_.parameters[i].grad().defined()) continue;
    same = same && found < active_indices_.size() && active_indices_[found] == i;
    ++found;
  }
  if (!same || found != active_indices_.size()) rebuild_active();
  for (std::size_t i = 0; i < active_indices_.size(); ++i) {
    active_.gradients[i] = active_.parameters[i].grad();
  }
  return active_;
}

void ParameterGroup::visit_state(StateVisitor& visitor) {
  for (std::size_t slot = 0; slot < ParameterLists::kStates; ++slot) {
    const std::string prefix = "optimizer." + std::to_string(slot) + ".";
    for (std::size_t i = 0; i < all_.state[slot].size(); ++i) {
      visitor.visit(prefix + names_[i], all_.state[slot][i]);
    }
  }
}

void ParameterGroup::release_gradients() {
  for (at::Tensor& gradient : active_.gradients) gradient.reset();
}

void ParameterGroup::rebuild_active() {
  active_ = {};
  active_indices_.clear();
  for (std::size_t i = 0; i < all_.parameters.size(); ++i) {
    if (!all_.parameters[i].grad().defined()) continue;
    active_indices_.push_back(i);
    active_.parameters.push_back(all_.parameters[i]);
    for (std::size_t slot = 0; slot < ParameterLists::kStates; ++slot) {
      if (!all_.state[slot].empty()) active_.state[slot].push_back(all_.state[slot][i]);
    }
  }
  active_.gradients.resize(active_.parameters.size());
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
