#include "engine/step/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_foreach_zero.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "engine/step/parameter_group.h"

namespace scalemark::training {

namespace {

// Serves a rank whose parameters another one updates.
class NoOptimizer final : public Optimizer {
 public:
  void step(const LearningRate&, const GradientTerms&) override {}
  void visit_state(StateVisitor&) override {}
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(std::vector<NamedParameter> parameters,
                                          const settings::RecipeSettings& recipe,
                                          const WholeNorms& whole_norms) {
  if (parameters.empty()) return std::make_unique<NoOptimizer>();
#define SCALEMARK_OPTIMIZER(name, maker, state, update_copies) \
  if (recipe.optimizer == #name) return maker(parameters, recipe, whole_norms);
#include "core/catalogue/optimizer_list.inc"
#undef SCALEMARK_OPTIMIZER
  throw configuration("there is no optimizer '" + recipe.optimizer + "'");
}

at::Tensor norm_of(const std::vector<at::Tensor>& gradients) {
  if (gradients.empty()) throw bug("clipping without gradients");
  const at::NoGradGuard no_grad;
  // Gradients of different types are all taken in float, the squares of rounded ones included.
  const auto is_rounded = [](const at::Tensor& one) { return one.scalar_type() == at::kBFloat16; };
  const auto type =
      std::ranges::any_of(gradients, is_rounded) ? std::optional(at::kFloat) : std::nullopt;
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2, type)));
}

at::Tensor clip_divisor(const at::Tensor& norm, double max_norm) {
  const at::NoGradGuard no_grad;
  return ((norm + 1e-6) / max_norm).clamp_min(1.0);  // NaN stays NaN, as in PyTorch
}

void collect_gradients(const std::vector<at::Tensor>& parameters, std::vector<at::Tensor>& into) {
  into.clear();
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) into.push_back(parameter.grad());
  }
}

void zero_gradients(const std::vector<at::Tensor>& parameters, ZeroGradients how) {
  if (how == ZeroGradients::kDrop) {
    for (const at::Tensor& parameter : parameters) parameter.mutable_grad().reset();
    return;
  }
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  collect_gradients(parameters, gradients);
  if (!gradients.empty()) at::_foreach_zero_(gradients);
}

}  // namespace scalemark::training
