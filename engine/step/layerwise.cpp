// LAMB and LARS: the length of each layer's update depends on the length of its weights. Everything
// that depends on values stays on the device.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
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

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/step/lamb_passes.h"
#include "engine/step/parameter_group.h"
#include "engine/step/parameters.h"

namespace scalemark::training::layerwise {

// --- What LAMB and LARS share, written with foreach kernels.
namespace {

using Tensors = std::vector<at::Tensor>;

// Separates matrices, which have trust ratios, from norm weights and biases, which have none.
std::vector<ParameterGroup> groups_by_kind(const Parameters& parameters,
                                           const RecipeSettings& recipe) {
  return make_groups(parameters, recipe.weight_decay, recipe.decay_norms_and_biases,
                     Split::kByKind);
}
constexpr std::size_t kMatrices = 0;  // index of their group

// Norms of whole matrices in two lists, as [2, entries]. Collective where ranks hold pieces.
class MatrixNorms {
 public:
  MatrixNorms(WholeNorms whole, const at::Tensor& like);

  at::Tensor of(const Tensors& a, const Tensors& b) const;
  // Computes them from the norms of this rank's pieces.
  at::Tensor from(const at::Tensor& own) const;
  // A rank without a piece of a matrix calls this, since the others wait for it.
  void of_nothing() const;

 private:
  WholeNorms whole_;
  at::TensorOptions options_;
};

// Returns one number per tensor, as one vector on the device.
at::Tensor norms(const Tensors& tensors) { return at::stack(at::_foreach_norm(tensors, 2)); }

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

// Returns `ratio`, but 1 where either norm is zero: a fresh layer must start to move, and a layer
// without gradient has no direction.
at::Tensor trust_ratio(const at::Tensor& weight_norm, const at::Tensor& update_norm,
                       const at::Tensor& ratio) {
  return at::where((weight_norm > 0).logical_and(update_norm > 0), ratio, at::ones_like(ratio));
}

// Returns 1 where the step counts and 0 where the gradient scaler skips it; undefined: it always
// counts.
at::Tensor keep_factor(const at::Tensor& found_inf) {
  return found_inf.defined() ? 1 - found_inf.squeeze() : at::Tensor();
}

// Clears the infinities of a skipped step.
void drop_skipped(const Tensors& gradients, const at::Tensor& keep) {
  if (!keep.defined()) return;
  for (at::Tensor gradient : gradients) gradient.nan_to_num_(0, 0, 0);
  at::_foreach_mul_(gradients, keep);
}

// Divides by the terms' divisor, if there is one.
void divide(const Tensors& gradients, const at::Tensor& divisor) {
  if (divisor.defined()) at::_foreach_div_(gradients, divisor);
}

// Computes list *= factor, but leaves the list unchanged in a skipped step.
void decay(const Tensors& list, double factor, const at::Tensor& keep) {
  if (!keep.defined()) return at::_foreach_mul_(list, factor);
  at::_foreach_mul_(list, (1 - (1 - factor) * keep).to(list.front().scalar_type()));
}

void multiply(const Tensors& list, const LearningRate& rate) {
  if (rate.tensor.defined()) return at::_foreach_mul_(list, rate.tensor);
  at::_foreach_mul_(list, rate.value);
}

}  // namespace
}  // namespace scalemark::training::layerwise

namespace scalemark::training {

using layerwise::Tensors;

namespace {

// LAMB's update with torch's foreach kernels, for tensors that neither our kernels nor our passes
// serve.
class LambForeach {
 public:
  static constexpr std::size_t kMean = LambOperators::kMean,
                               kMeanSquare = LambOperators::kMeanSquare;

  // `steps` is the number of steps that counted, this one included. All arguments must outlive the
  // object.
  LambForeach(const ParameterLists& lists, const LambRule& rule, const at::Tensor& steps)
      : lists_(lists), rule_(rule), steps_(steps) {}

  // `norms` null: without trust ratios.
  void update(const LearningRate& rate, const GradientTerms& terms,
              const layerwise::MatrixNorms* norms) const;

 private:
  void update_moments(const at::Tensor& keep) const;
  layerwise::Tensors direction() const;
  void scale(const layerwise::Tensors& update, const LearningRate& rate,
             const layerwise::MatrixNorms& norms) const;

  const ParameterLists& lists_;
  const LambRule& rule_;
  const at::Tensor& steps_;
};

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

// Returns r + lambda x, r = m^ / (sqrt(v^) + eps).
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

using layerwise::kMatrices;
using layerwise::MatrixNorms;

// Only called on a CPU, where reading a tensor costs nothing.
bool is_skipped(const at::Tensor& found_inf) {
  return found_inf.defined() && found_inf.item<float>() != 0;
}

void add_step(const at::Tensor& steps, const at::Tensor& found_inf) {
  const at::Tensor keep = layerwise::keep_factor(found_inf);
  keep.defined() ? steps.add_(keep) : steps.add_(1);
}

// LAMB by our kernels where a device has some, on a CPU by our passes, else with foreach kernels.
// arXiv:1904.00962, algorithm 2, with bias correction and phi = identity. One step count serves all
// parameters.
class Lamb final : public Optimizer {
 public:
  Lamb(std::vector<ParameterGroup> groups, const RecipeSettings& recipe, MatrixNorms matrix_norms,
       c10::Device device)
      : groups_(std::move(groups)),
        matrix_norms_(std::move(matrix_norms)),
        rule_{
            .beta1 = recipe.adam_betas.first, .beta2 = recipe.adam_betas.second, .eps = recipe.eps},
        steps_(at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(device))) {
    for (ParameterGroup& group : groups_) {
      group.add_zero_state(LambOperators::kMean);
      group.add_zero_state(LambOperators::kMeanSquare);
    }
  }

  void step(const LearningRate& rate, const GradientTerms& all_terms) override {
    const at::NoGradGuard no_grad;
    GradientTerms terms = all_terms;
    if (steps_.is_cpu()) {
      if (is_skipped(terms.found_inf)) return;  // all ranks skip it alike
      terms.found_inf.reset();
    }
    add_step(steps_, terms.found_inf);
    at::Tensor numbers;  // filled for the operators only
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const ParameterLists& lists = groups_[i].with_gradients();
      const MatrixNorms* norms = i == kMatrices ? &matrix_norms_ : nullptr;
      if (lists.empty()) {
        if (norms) norms->of_nothing();
        continue;
      }
      rule_.weight_decay = groups_[i].weight_decay();
      if (LambOperators::serve(lists)) {
        if (!numbers.defined()) numbers = LambOperators::numbers(steps_, terms, rate, rule_);
        update_by_operators(LambOperators(lists, numbers, rule_), norms);
      } else if (LambPasses::serve(lists)) {
        update_in_passes(LambPasses(lists, numbers_of_cpu(terms)), rate, norms);
      } else {
        LambForeach(lists, rule_, steps_).update(rate, terms, norms);
      }
      groups_[i].release_gradients();
    }
  }

  void use(workloads::WeightCopies& copies) override {
    for (ParameterGroup& group : groups_) group.use(&copies);
  }

  void visit_state(StateVisitor& visitor) override {
    for (ParameterGroup& group : groups_) group.visit_state(visitor);
    visitor.visit("optimizer.steps", steps_);
  }

 private:
  static void update_by_operators(const LambOperators& operators, const MatrixNorms* norms) {
    const at::Tensor own = operators.update_moments(/*with_norms=*/norms != nullptr);
    operators.apply(norms ? norms->from(own) : own);
  }

  static void update_in_passes(const LambPasses& passes, const LearningRate& rate,
                               const MatrixNorms* norms) {
    const at::Tensor own = passes.update_moments();
    const double step = rate.tensor.defined() ? rate.tensor.item<double>() : rate.value;
    if (!norms) return passes.apply(at::ones_like(own[0]) * step);
    const at::Tensor both = norms->from(own);
    const at::Tensor weights = both[0], updates = both[1];
    passes.apply(layerwise::trust_ratio(weights, updates, weights / updates) * step);
  }

  kernels::LambNumbers numbers_of_cpu(const GradientTerms& terms) const {
    const auto t = steps_.item<double>();
    return {.divisor = terms.divisor.defined() ? terms.divisor.item<double>() : 1,
            .beta1 = rule_.beta1,
            .beta2 = rule_.beta2,
            .correction1 = 1 - std::pow(rule_.beta1, t),
            .correction2 = std::sqrt(1 - std::pow(rule_.beta2, t)),
            .eps = rule_.eps,
            .weight_decay = rule_.weight_decay};
  }

  std::vector<ParameterGroup> groups_;
  MatrixNorms matrix_norms_;
  LambRule rule_;     // holds the weight decay of the group that is being updated
  at::Tensor steps_;  // lies on the device, since only the device knows which steps were skipped
};

}  // namespace

std::unique_ptr<Optimizer> make_lamb(const Parameters& parameters, const RecipeSettings& recipe,
                                     const WholeNorms& whole_norms) {
  const at::Tensor& first = parameters.front().tensor;
  return std::make_unique<Lamb>(layerwise::groups_by_kind(parameters, recipe), recipe,
                                MatrixNorms(whole_norms, first), first.device());
}

namespace {

// LARS with foreach kernels. arXiv:1708.03888, algorithm 1: the velocity accumulates updates that
// are already multiplied by the learning rate.
class Lars final : public Optimizer {
 public:
  Lars(std::vector<ParameterGroup> groups, layerwise::MatrixNorms matrix_norms, double momentum)
      : groups_(std::move(groups)), matrix_norms_(std::move(matrix_norms)), momentum_(momentum) {
    for (ParameterGroup& group : groups_) group.add_zero_state(kVelocity);
  }

  void step(const LearningRate& rate, const GradientTerms& terms) override {
    const at::NoGradGuard no_grad;
    const at::Tensor keep = layerwise::keep_factor(terms.found_inf);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const ParameterLists& lists = groups_[i].with_gradients();
      if (lists.empty()) {
        if (i == layerwise::kMatrices) matrix_norms_.of_nothing();
        continue;
      }
      layerwise::divide(lists.gradients, terms.divisor);
      layerwise::drop_skipped(lists.gradients, keep);
      layerwise::Tensors update =
          local_update(lists, groups_[i].weight_decay(), i == layerwise::kMatrices);
      layerwise::multiply(update, rate);
      layerwise::decay(lists.state[kVelocity], momentum_, keep);
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

  // Returns lambda (gradient + beta w), lambda = eta |w| / (|gradient| + beta |w|).
  layerwise::Tensors local_update(const ParameterLists& lists, double weight_decay,
                                  bool has_trust_ratio) const {
    layerwise::Tensors update = at::_foreach_add(lists.gradients, lists.parameters, weight_decay);
    if (has_trust_ratio) {
      const at::Tensor both = matrix_norms_.of(lists.parameters, lists.gradients);
      const at::Tensor weights = both[0], gradients = both[1];
      const at::Tensor ratio = layerwise::trust_ratio(
          weights, gradients, kEta * weights / (gradients + weight_decay * weights));
      at::_foreach_mul_(update, ratio.unbind());
    }
    return update;
  }

  // A skipped step must leave the velocity unchanged and must not apply it again.
  static void apply(const ParameterLists& lists, const at::Tensor& keep) {
    if (!keep.defined()) return at::_foreach_sub_(lists.parameters, lists.state[kVelocity]);
    at::_foreach_sub_(lists.parameters, at::_foreach_mul(lists.state[kVelocity], keep));
  }

  std::vector<ParameterGroup> groups_;
  layerwise::MatrixNorms matrix_norms_;
  double momentum_;
};

}  // namespace

std::unique_ptr<Optimizer> make_lars(const Parameters& parameters, const RecipeSettings& recipe,
                                     const WholeNorms& whole_norms) {
  return std::make_unique<Lars>(layerwise::groups_by_kind(parameters, recipe),
                                layerwise::MatrixNorms(whole_norms, parameters.front().tensor),
                                recipe.momentum);
}

}  // namespace scalemark::training
