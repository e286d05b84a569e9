// LAMB: by kernels of ours where a device has some (lamb_operators.h), on a CPU by passes of ours
// (lamb_passes.h), else with foreach kernels (lamb_foreach.h).
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <utility>

#include "engine/training/lamb_foreach.h"
#include "engine/training/lamb_operators.h"
#include "engine/training/lamb_passes.h"
#include "engine/training/layerwise.h"

namespace scalemark::training {
namespace {

using layerwise::kMatrices;
using layerwise::MatrixNorms;

// Only a CPU is asked, where asking costs nothing.
bool is_skipped(const at::Tensor& found_inf) {
  return found_inf.defined() && found_inf.item<float>() != 0;
}

void add_step(const at::Tensor& steps, const at::Tensor& found_inf) {
  const at::Tensor keep = layerwise::keep_factor(found_inf);
  keep.defined() ? steps.add_(keep) : steps.add_(1);
}

// arXiv:1904.00962, algorithm 2, with bias correction and phi = identity. One step count for all
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
      if (is_skipped(terms.found_inf)) return;  // on all ranks alike
      terms.found_inf.reset();
    }
    add_step(steps_, terms.found_inf);
    at::Tensor numbers;  // for the operators
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
  LambRule rule_;     // its weight decay is that of the group whose turn it is
  at::Tensor steps_;  // counted on the device: only it knows which steps were skipped
};

}  // namespace

std::unique_ptr<Optimizer> make_lamb(const Parameters& parameters, const RecipeSettings& recipe,
                                     const WholeNorms& whole_norms) {
  const at::Tensor& first = parameters.front().tensor;
  return std::make_unique<Lamb>(layerwise::groups_by_kind(parameters, recipe), recipe,
                                MatrixNorms(whole_norms, first), first.device());
}

}  // namespace scalemark::training
