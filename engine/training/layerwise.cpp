#include "engine/training/layerwise.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <utility>

namespace scalemark::training::layerwise {
namespace {

// One number per tensor, as one vector on the device.
at::Tensor norms(const Tensors& tensors) { return at::stack(at::_foreach_norm(tensors, 2)); }

}  // namespace

std::vector<ParameterGroup> groups_by_kind(const Parameters& parameters,
                                           const RecipeSettings& recipe) {
  return make_groups(parameters, recipe.weight_decay, recipe.decay_norms_and_biases,
                     Split::kByKind);
}

MatrixNorms::MatrixNorms(WholeNorms whole, const at::Tensor& like)
    : whole_(std::move(whole)), options_(like.options().requires_grad(false)) {}

at::Tensor MatrixNorms::of(const Tensors& a, const Tensors& b) const {
  return from(at::stack({norms(a), norms(b)}));
}

at::Tensor MatrixNorms::from(const at::Tensor& own) const {
  return whole_ ? whole_(own.to(options_)).to(own.options()) : own;
}

void MatrixNorms::of_nothing() const {
  if (whole_) whole_(at::zeros({2, 0}, options_));
}

at::Tensor trust_ratio(const at::Tensor& weight_norm, const at::Tensor& update_norm,
                       const at::Tensor& ratio) {
  return at::where((weight_norm > 0).logical_and(update_norm > 0), ratio, at::ones_like(ratio));
}

at::Tensor keep_factor(const at::Tensor& found_inf) {
  return found_inf.defined() ? 1 - found_inf.squeeze() : at::Tensor();
}

void drop_skipped(const Tensors& gradients, const at::Tensor& keep) {
  if (!keep.defined()) return;
  for (at::Tensor gradient : gradients) gradient.nan_to_num_(0, 0, 0);
  at::_foreach_mul_(gradients, keep);
}

void divide(const Tensors& gradients, const at::Tensor& divisor) {
  if (divisor.defined()) at::_foreach_div_(gradients, divisor);
}

void decay(const Tensors& list, double factor, const at::Tensor& keep) {
  if (!keep.defined()) return at::_foreach_mul_(list, factor);
  at::_foreach_mul_(list, (1 - (1 - factor) * keep).to(list.front().scalar_type()));
}

void multiply(const Tensors& list, const LearningRate& rate) {
  if (rate.tensor.defined()) return at::_foreach_mul_(list, rate.tensor);
  at::_foreach_mul_(list, rate.value);
}

}  // namespace scalemark::training::layerwise
