#include "workloads/layers/weight_copies.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <string>
#include <utility>

#include "engine/torch/compat.h"

namespace scalemark::workloads {
namespace {

using torch::autograd::variable_list;

thread_local WeightCopies* current_copies = nullptr;

struct WeightCopyBackward final : torch::autograd::Node {
  std::shared_ptr<WeightCopy> copy;
  CopyGradients gradients = CopyGradients::kOfWeights;

  std::string name() const override { return "WeightCopyBackward"; }

  variable_list apply(variable_list&& of_copy) override {
    at::Tensor& gradient = of_copy[0];
    if (!gradient.defined()) return variable_list(1);
    if (gradients == CopyGradients::kOfWeights) return {gradient.to(copy->weight.scalar_type())};
    at::Tensor& kept = copy->gradient;
    kept = kept.defined() ? kept + gradient : std::move(gradient);
    return variable_list(1);
  }
};

bool is_trained(const at::Tensor& weight) {
  return weight.requires_grad() && weight.is_leaf() && at::GradMode::is_enabled();
}

bool is_cast_to(at::ScalarType type, const at::Tensor& weight) {
  return weight.scalar_type() == at::kFloat &&
         at::autocast::is_autocast_enabled(weight.device().type()) &&
         at::autocast::get_autocast_dtype(weight.device().type()) == type;
}

void set_current(WeightCopy& copy) {
  copy.is_current = true;
  copy.version = copy.weight._version();
}

bool is_current(const WeightCopy& copy) {
  return copy.is_current && copy.version == copy.weight._version();
}

}  // namespace

std::shared_ptr<WeightCopy> WeightCopies::current(const at::Tensor& weight) {
  if (!is_trained(weight) || !is_cast_to(type_, weight)) return nullptr;
  std::shared_ptr<WeightCopy>& entry = copies_[weight.unsafeGetTensorImpl()];
  const at::NoGradGuard no_grad;
  if (!entry) {
    entry = std::make_shared<WeightCopy>(WeightCopy{.weight = weight, .copy = weight.to(type_)});
    in_order_.push_back(entry.get());
    set_current(*entry);
  } else if (!is_current(*entry)) {
    entry->copy.copy_(weight);
    set_current(*entry);
  }
  return entry;
}

at::Tensor WeightCopies::values_of(const at::Tensor& weight) {
  const auto entry = current(weight);
  return entry ? entry->copy.variable_data() : at::Tensor();
}

at::Tensor WeightCopies::of(const at::Tensor& weight) {
  const auto entry = current(weight);
  if (!entry) return weight;
  auto node = compat::make_node<WeightCopyBackward>();
  node->set_next_edges(torch::autograd::collect_next_edges(weight));
  node->copy = entry;
  node->gradients = gradients_;
  // The result has a version of its own, as later writes into the copy come after this graph is
  // gone.
  at::Tensor result = entry->copy.variable_data();
  torch::autograd::set_history(result, node);
  return result;
}

WeightCopy* WeightCopies::find(const at::Tensor& weight) {
  const auto found = copies_.find(weight.unsafeGetTensorImpl());
  return found == copies_.end() ? nullptr : found->second.get();
}

void WeightCopies::mark_outdated() {
  for (WeightCopy* copy : in_order_) copy->is_current = false;
}

void WeightCopies::refresh() {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> copies, weights;
  for (WeightCopy* copy : in_order_) {
    if (is_current(*copy)) continue;
    copies.push_back(copy->copy);
    weights.push_back(copy->weight);
    set_current(*copy);
  }
  if (!copies.empty()) at::_foreach_copy_(copies, weights);
}

WeightCopiesScope::WeightCopiesScope(WeightCopies* copies)
    : previous_(std::exchange(current_copies, copies)) {}

WeightCopiesScope::~WeightCopiesScope() { current_copies = previous_; }

at::Tensor weight_copy(const at::Tensor& weight) {
  return current_copies ? current_copies->of(weight) : weight;
}

at::Tensor cast_weight(const at::Tensor& weight, at::ScalarType type) {
  const at::Tensor kept = current_copies ? current_copies->values_of(weight) : at::Tensor();
  if (kept.defined() && kept.scalar_type() == type) return kept;
  const at::NoGradGuard no_grad;
  return weight.to(type);
}

}  // namespace scalemark::workloads
