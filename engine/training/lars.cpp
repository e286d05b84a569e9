// LARS, with foreach kernels.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sub.h>

#include <utility>

#include "engine/training/layerwise.h"

namespace scalemark::training {
namespace {

// arXiv:1708.03888, algorithm 1: the learning rate stands inside the momentum.
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

  // lambda (gradient + beta w), lambda = eta |w| / (|gradient| + beta |w|).
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

  // A skipped step leaves the velocity as it was, and must not apply it once more.
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
