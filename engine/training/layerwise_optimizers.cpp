// LAMB and LARS: the length of each layer's update follows the length of its weights. Written with
// foreach kernels; everything that depends on values stays on the device.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <utility>

#include "engine/training/optimizers.h"
#include "engine/training/parameter_group.h"

namespace scalemark::training {
namespace {

using TensorVector = std::vector<at::Tensor>;

// 1 where the step counts and 0 where the gradient scaler skips it; undefined: it always counts.
at::Tensor keep_factor(const at::Tensor& found_inf) {
  return found_inf.defined() ? 1 - found_inf.squeeze() : at::Tensor();
}

// A skipped step must not carry its infinities any further.
void drop_skipped(const TensorVector& gradients, const at::Tensor& keep) {
  if (!keep.defined()) return;
  for (at::Tensor gradient : gradients) gradient.nan_to_num_(0, 0, 0);
  at::_foreach_mul_(gradients, keep);
}

// list *= factor, or nothing in a skipped step.
void decay(const TensorVector& list, double factor, const at::Tensor& keep) {
  if (!keep.defined()) return at::_foreach_mul_(list, factor);
  at::_foreach_mul_(list, (1 - (1 - factor) * keep).to(list.front().scalar_type()));
}

void multiply(const TensorVector& list, const LearningRate& rate) {
  if (rate.tensor.defined()) return at::_foreach_mul_(list, rate.tensor);
  at::_foreach_mul_(list, rate.value);
}

// One number per tensor, as one vector on the device.
at::Tensor norms(const TensorVector& tensors) { return at::stack(at::_foreach_norm(tensors, 2)); }

// Norms of two lists, as [2, entries], of whole matrices. Collective where ranks hold pieces.
class MatrixNorms {
 public:
  MatrixNorms(WholeNorms whole, const at::Tensor& like)
      : whole_(std::move(whole)), options_(like.options().requires_grad(false)) {}

  at::Tensor of(const TensorVector& a, const TensorVector& b) const {
    const at::Tensor own = at::stack({norms(a), norms(b)});
    return whole_ ? whole_(own) : own;
  }
  // Of a rank without a piece of a matrix: the others wait for it.
  void of_nothing() const {
    if (whole_) whole_(at::zeros({2, 0}, options_));
  }

 private:
  WholeNorms whole_;
  at::TensorOptions options_;
};

// numerator / denominator, and 1 where either norm is zero: a fresh layer must start to move, and
// a layer without gradient has no direction.
at::Tensor trust_ratio(const at::Tensor& weight_norm, const at::Tensor& update_norm,
                       const at::Tensor& ratio) {
  return at::where((weight_norm > 0).logical_and(update_norm > 0), ratio, at::ones_like(ratio));
}

std::vector<ParameterGroup> groups_by_kind(const Parameters& parameters,
                                           const RecipeSettings& recipe) {
  return make_groups(parameters, recipe.weight_decay, recipe.decay_norms_and_biases,
                     Split::kByKind);
}

constexpr std::size_t kMatrices = 0;  // the group of make_groups(kByKind) that has trust ratios

// arXiv:1904.00962, algorithm 2, with bias correction and phi = identity. One step count for all
// parameters.
class Lamb final : public Optimizer {
 public:
  Lamb(std::vector<ParameterGroup> groups, const RecipeSettings& recipe, MatrixNorms matrix_norms,
       c10::Device device)
      : groups_(std::move(groups)),
        matrix_norms_(std::move(matrix_norms)),
        beta1_(recipe.adam_betas.first),
        beta2_(recipe.adam_betas.second),
        eps_(recipe.eps),
        steps_(at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(device))) {
    for (ParameterGroup& group : groups_) {
      group.add_zero_state(kMean);
      group.add_zero_state(kMeanSquare);
    }
  }

  void step(const LearningRate& rate, const at::Tensor& found_inf) override {
    const at::NoGradGuard no_grad;
    const at::Tensor keep = keep_factor(found_inf);
    keep.defined() ? steps_.add_(keep) : steps_.add_(1);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const ParameterLists& lists = groups_[i].with_gradients();
      if (lists.empty()) {
        if (i == kMatrices) matrix_norms_.of_nothing();
        continue;
      }
      drop_skipped(lists.gradients, keep);
      update_moments(lists, keep);
      TensorVector update = direction(lists, groups_[i].weight_decay());
      scale_update(update, lists, rate, i == kMatrices, keep);
      at::_foreach_sub_(lists.parameters, update);
      groups_[i].release_gradients();
    }
  }

  void visit_state(StateVisitor& visitor) override {
    for (ParameterGroup& group : groups_) group.visit_state(visitor);
    visitor.visit("optimizer.steps", steps_);
  }

 private:
  static constexpr std::size_t kMean = 0, kMeanSquare = 1;

  void update_moments(const ParameterLists& lists, const at::Tensor& keep) const {
    decay(lists.state[kMean], beta1_, keep);
    at::_foreach_add_(lists.state[kMean], lists.gradients, 1 - beta1_);
    decay(lists.state[kMeanSquare], beta2_, keep);
    at::_foreach_addcmul_(lists.state[kMeanSquare], lists.gradients, lists.gradients, 1 - beta2_);
  }

  // r + lambda x, r = m^ / (sqrt(v^) + eps).
  TensorVector direction(const ParameterLists& lists, double weight_decay) const {
    const auto dtype = lists.parameters.front().scalar_type();
    // Step 0 occurs only when the first step is skipped; then nothing moves, and 0/0 is avoided.
    const at::Tensor t = steps_.clamp_min(1);
    const at::Tensor correction1 = (1 - at::pow(beta1_, t)).to(dtype);
    const at::Tensor correction2 = (1 - at::pow(beta2_, t)).sqrt().to(dtype);
    TensorVector denominator = at::_foreach_sqrt(lists.state[kMeanSquare]);
    at::_foreach_div_(denominator, correction2);
    at::_foreach_add_(denominator, eps_);
    TensorVector update = at::_foreach_div(lists.state[kMean], correction1);
    at::_foreach_div_(update, denominator);
    if (weight_decay != 0) at::_foreach_add_(update, lists.parameters, weight_decay);
    return update;
  }

  void scale_update(const TensorVector& update, const ParameterLists& lists,
                    const LearningRate& rate, bool has_trust_ratio, const at::Tensor& keep) const {
    if (has_trust_ratio) {
      const at::Tensor both = matrix_norms_.of(lists.parameters, update);
      const at::Tensor weights = both[0], updates = both[1];
      const at::Tensor ratio = trust_ratio(weights, updates, weights / updates);
      const at::Tensor factors = rate.tensor.defined() ? ratio * rate.tensor : ratio * rate.value;
      at::_foreach_mul_(update, factors.unbind());
    } else {
      multiply(update, rate);
    }
    if (keep.defined()) at::_foreach_mul_(update, keep);
  }

  std::vector<ParameterGroup> groups_;
  MatrixNorms matrix_norms_;
  double beta1_, beta2_, eps_;
  at::Tensor steps_;  // counted on the device: only it knows which steps were skipped
};

// arXiv:1708.03888, algorithm 1: the learning rate stands inside the momentum.
class Lars final : public Optimizer {
 public:
  Lars(std::vector<ParameterGroup> groups, MatrixNorms matrix_norms, double momentum)
      : groups_(std::move(groups)), matrix_norms_(std::move(matrix_norms)), momentum_(momentum) {
    for (ParameterGroup& group : groups_) group.add_zero_state(kVelocity);
  }

  void step(const LearningRate& rate, const at::Tensor& found_inf) override {
    const at::NoGradGuard no_grad;
    const at::Tensor keep = keep_factor(found_inf);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const ParameterLists& lists = groups_[i].with_gradients();
      if (lists.empty()) {
        if (i == kMatrices) matrix_norms_.of_nothing();
        continue;
      }
      drop_skipped(lists.gradients, keep);
      TensorVector update = local_update(lists, groups_[i].weight_decay(), i == kMatrices);
      multiply(update, rate);
      decay(lists.state[kVelocity], momentum_, keep);
      if (keep.defined()) at::_foreach_mul_(update, keep);
      at::_foreach_add_(lists.state[kVelocity], update);
      apply(lists, keep);
      groups_[i].release_gradients();
    }
  }

  void visit_state(StateVisitor& visitor) override {
    for (ParameterGroup& group : groups_) group.visit_state(visitor);
  }

 private:
  static constexpr std::size_t kVelocity = 0;
  static constexpr double kEta = 0.001;

  // lambda (gradient + beta w), lambda = eta |w| / (|gradient| + beta |w|).
  TensorVector local_update(const ParameterLists& lists, double weight_decay,
                            bool has_trust_ratio) const {
    TensorVector update = at::_foreach_add(lists.gradients, lists.parameters, weight_decay);
    if (has_trust_ratio) {
      const at::Tensor both = matrix_norms_.of(lists.parameters, lists.gradients);
      const at::Tensor weights = both[0], gradients = both[1];
      const at::Tensor ratio =
          trust_ratio(weights, gradients, kEta * weights / (gradients + weight_decay * weights));
      at::_foreach_mul_(update, ratio.unbind());
    }
    return update;
  }

  // A skipped step leaves the velocity as it was, and must not apply it once more.
  static void apply(const ParameterLists& lists, const at::Tensor& keep) {
    if (!keep.defined()) return at::_foreach_sub_(lists.parameters, lists.state[kVelocity]);
    at::_foreach_sub_(lists.parameters, at::_foreach_mul(lists.state[kVelocity], keep));
  }

  std::vector<ParameterGroup> groups_;
  MatrixNorms matrix_norms_;
  double momentum_;
};

}  // namespace

std::unique_ptr<Optimizer> make_lamb(const Parameters& parameters, const RecipeSettings& recipe,
                                     const WholeNorms& whole_norms) {
  const at::Tensor& first = parameters.front().tensor;
  return std::make_unique<Lamb>(groups_by_kind(parameters, recipe), recipe,
                                MatrixNorms(whole_norms, first), first.device());
}

std::unique_ptr<Optimizer> make_lars(const Parameters& parameters, const RecipeSettings& recipe,
                                     const WholeNorms& whole_norms) {
  return std::make_unique<Lars>(groups_by_kind(parameters, recipe),
                                MatrixNorms(whole_norms, parameters.front().tensor),
                                recipe.momentum);
}

}  // namespace scalemark::training
