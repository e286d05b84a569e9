#include "engine/training/lamb_foreach.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/pow.h>

namespace scalemark::training {

using layerwise::Tensors;

void LambForeach::update(const LearningRate& rate, const GradientTerms& terms,
                         const layerwise::MatrixNorms* norms) const {
  const at::Tensor keep = layerwise::keep_factor(terms.found_inf);
  layerwise::divide(lists_.gradients, terms.divisor);
  layerwise::drop_skipped(lists_.gradients, keep);
  update_moments(keep);
  const Tensors update = direction();
  norms ? scale(update, rate, *norms) : layerwise::multiply(update, rate);
  if (keep.defined()) at::_foreach_mul_(update, keep);
  at::_foreach_sub_(lists_.parameters, update);
}

void LambForeach::update_moments(const at::Tensor& keep) const {
  const Tensors &means = lists_.state[kMean], &mean_squares = lists_.state[kMeanSquare];
  layerwise::decay(means, rule_.beta1, keep);
  at::_foreach_add_(means, lists_.gradients, 1 - rule_.beta1);
  layerwise::decay(mean_squares, rule_.beta2, keep);
  at::_foreach_addcmul_(mean_squares, lists_.gradients, lists_.gradients, 1 - rule_.beta2);
}

// r + lambda x, r = m^ / (sqrt(v^) + eps).
Tensors LambForeach::direction() const {
  const auto dtype = lists_.parameters.front().scalar_type();
  // Step 0 occurs only when the first step is skipped; then nothing moves, and 0/0 is avoided.
  const at::Tensor t = steps_.clamp_min(1);
  const at::Tensor correction1 = (1 - at::pow(rule_.beta1, t)).to(dtype);
  const at::Tensor correction2 = (1 - at::pow(rule_.beta2, t)).sqrt().to(dtype);
  const Tensors denominator = at::_foreach_sqrt(lists_.state[kMeanSquare]);
  at::_foreach_div_(denominator, correction2);
  at::_foreach_add_(denominator, rule_.eps);
  Tensors update = at::_foreach_div(lists_.state[kMean], correction1);
  at::_foreach_div_(update, denominator);
  if (rule_.weight_decay != 0) at::_foreach_add_(update, lists_.parameters, rule_.weight_decay);
  return update;
}

void LambForeach::scale(const Tensors& update, const LearningRate& rate,
                        const layerwise::MatrixNorms& norms) const {
  const at::Tensor both = norms.of(lists_.parameters, update);
  const at::Tensor weights = both[0], updates = both[1];
  const at::Tensor ratio = layerwise::trust_ratio(weights, updates, weights / updates);
  const at::Tensor factors = rate.tensor.defined() ? ratio * rate.tensor : ratio * rate.value;
  at::_foreach_mul_(update, factors.unbind());
}

}  // namespace scalemark::training
