#include "engine/step/fused_optimizers.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "engine/step/parameter_group.h"
#include "workloads/layers/layer_operators.h"

namespace scalemark::training {
namespace {

bool is_served(const ParameterLists& lists, std::size_t i) {
  const at::Tensor& parameter = lists.parameters[i];
  if (!is_dense_on_cpu(parameter) || parameter.scalar_type() != at::kFloat) return false;
  const at::Tensor& gradient = lists.gradients[i];
  if (gradient.scalar_type() != at::kFloat && gradient.scalar_type() != at::kBFloat16) return false;
  for (const std::size_t state : {WeightPasses::kMean, WeightPasses::kMeanSquare}) {
    if (!lists.state[state].empty() && !same_layout(parameter, lists.state[state][i])) return false;
  }
  const workloads::WeightCopy* copy = lists.copies[i];
  return same_layout(parameter, gradient) && (!copy || (copy->copy.scalar_type() == at::kBFloat16 &&
                                                        same_layout(parameter, copy->copy)));
}

kernels::BFloat16* bfloat16_of(const at::Tensor& tensor) {
  return static_cast<kernels::BFloat16*>(tensor.mutable_data_ptr());
}

const kernels::WeightUpdateKernels& code() {
  return kernels::weight_update_kernels(kernels::widest());
}

}  // namespace

bool WeightPasses::serve(const ParameterLists& lists) {
  if (std::ranges::none_of(lists.copies, [](const auto* copy) { return copy != nullptr; })) {
    return false;
  }
  for (std::size_t i = 0; i < lists.parameters.size(); ++i) {
    if (!is_served(lists, i)) return false;
  }
  return true;
}

WeightPasses::WeightPasses(const ParameterLists& lists)
    : lists_(lists), chunks_(chunks_of(lists.parameters)) {}

kernels::WeightTensor WeightPasses::pointers(std::size_t tensor) const {
  const auto state = [&](std::size_t slot) {
    const auto& all = lists_.state[slot];
    return all.empty() ? nullptr : all[tensor].mutable_data_ptr<float>();
  };
  const at::Tensor& gradient = lists_.gradients[tensor];
  const bool rounded = gradient.scalar_type() == at::kBFloat16;
  const workloads::WeightCopy* copy = lists_.copies[tensor];
  return {.gradient = rounded ? nullptr : gradient.const_data_ptr<float>(),
          .rounded_gradient = rounded ? bfloat16_of(gradient) : nullptr,
          .parameter = lists_.parameters[tensor].mutable_data_ptr<float>(),
          .mean = state(kMean),
          .mean_square = state(kMeanSquare),
          .copy = copy ? bfloat16_of(copy->copy) : nullptr};
}

void WeightPasses::sgd(const kernels::SgdNumbers& numbers) const {
  for_chunks(chunks_, [&](std::size_t i) {
    const auto& [tensor, begin, end] = chunks_[i];
    code().sgd(pointers(tensor), numbers, begin, end);
  });
  note_copies();
}

void WeightPasses::adam(
    const std::function<kernels::AdamNumbers(std::size_t tensor)>& numbers) const {
  std::vector<kernels::AdamNumbers> of_tensors;
  for (std::size_t i = 0; i < lists_.parameters.size(); ++i) of_tensors.push_back(numbers(i));
  for_chunks(chunks_, [&](std::size_t i) {
    const auto& [tensor, begin, end] = chunks_[i];
    code().adam(pointers(tensor), of_tensors[tensor], begin, end);
  });
  note_copies();
}

void WeightPasses::note_copies() const {
  for (workloads::WeightCopy* copy : lists_.copies) {
    if (copy) copy->is_current = true;
  }
}

namespace {

// Returns the divisor for ATen's kernels, which divide by a float; gradients in double are divided
// here.
MaybeTensor divisor_for(const ParameterLists& lists, const GradientTerms& terms) {
  if (!terms.divisor.defined()) return std::nullopt;
  if (terms.divisor.scalar_type() == at::kFloat) return terms.divisor;
  at::_foreach_div_(lists.gradients, terms.divisor);
  return std::nullopt;
}

// Calls `update` with the rate as a tensor or as a number; ATen's kernels take both.
template <class Update>
void with_rate(const LearningRate& rate, Update update) {
  if (rate.tensor.defined()) return update(rate.tensor);
  update(rate.value);
}

// These are called only on a CPU, where reading a tensor costs nothing.
double value_of(const LearningRate& rate) {
  return rate.tensor.defined() ? rate.tensor.item<double>() : rate.value;
}
double divisor_of(const GradientTerms& terms) {
  return terms.divisor.defined() ? terms.divisor.item<double>() : 1;
}

// The passes serve only a step that certainly counts, without a check for infinities.
bool serves(const ParameterLists& lists, const GradientTerms& terms) {
  return !terms.found_inf.defined() && WeightPasses::serve(lists);
}

bool is_in_float_on_cpu(const std::vector<ParameterGroup>& groups) {
  for (const ParameterGroup& group : groups) {
    for (const at::Tensor& parameter : group.parameters()) {
      if (!parameter.is_cpu() || parameter.scalar_type() != at::kFloat) return false;
    }
  }
  return true;
}

class Sgd final : public Optimizer {
 public:
  Sgd(std::vector<ParameterGroup> groups, double momentum, bool nesterov)
      : groups_(std::move(groups)), momentum_(momentum), nesterov_(nesterov) {
    if (momentum == 0) return;
    for (ParameterGroup& group : groups_) group.add_zero_state(kMomentum);
  }

  void step(const LearningRate& rate, const GradientTerms& terms) override {
    const at::NoGradGuard no_grad;
    for (ParameterGroup& group : groups_) {
      const ParameterLists& lists = group.with_gradients();
      if (lists.empty()) continue;
      if (serves(lists, terms)) {
        WeightPasses(lists).sgd({.divisor = divisor_of(terms),
                                 .rate = value_of(rate),
                                 .momentum = momentum_,
                                 .weight_decay = group.weight_decay(),
                                 .nesterov = nesterov_});
      } else {
        group.cast_gradients();
        by_torch(lists, rate, group.weight_decay(), terms);
      }
      group.release_gradients();
    }
  }

  bool takes_kept_gradients() const override { return is_in_float_on_cpu(groups_); }
  void use(workloads::WeightCopies& copies) override {
    for (ParameterGroup& group : groups_) group.use(&copies);
  }

  void visit_state(StateVisitor& visitor) override {
    for (ParameterGroup& group : groups_) group.visit_state(visitor);
  }

 private:
  static constexpr std::size_t kMomentum = WeightPasses::kMean;

  void by_torch(const ParameterLists& lists, const LearningRate& rate, double weight_decay,
                const GradientTerms& terms) const {
    with_rate(rate, [&](const auto& learning_rate) {
      // The buffers start at zero, so that the first step is like any other (0 x momentum + g),
      // also when the gradient scaler skips it.
      at::_fused_sgd_(lists.parameters, lists.gradients, lists.state[kMomentum], weight_decay,
                      momentum_, learning_rate, /*dampening=*/0, nesterov_, /*maximize=*/false,
                      /*is_first_step=*/false, divisor_for(lists, terms),
                      if_defined(terms.found_inf));
    });
  }

  std::vector<ParameterGroup> groups_;
  double momentum_;
  bool nesterov_;
};

enum class Decay { kInGradient, kDecoupled };  // Adam and AdamW

class Adam final : public Optimizer {
 public:
  Adam(std::vector<ParameterGroup> groups, const RecipeSettings& recipe, Decay decay)
      : groups_(std::move(groups)),
        beta1_(recipe.adam_betas.first),
        beta2_(recipe.adam_betas.second),
        eps_(recipe.eps),
        decay_(decay) {
    for (ParameterGroup& group : groups_) {
      group.add_zero_state(kMean);
      group.add_zero_state(kMeanSquare);
      group.set_state(kStep, step_counters(group.parameters()));
      if (!group.empty()) one_ = at::ones({}, counter_options(group.parameters().front()));
    }
  }

  void step(const LearningRate& rate, const GradientTerms& terms) override {
    const at::NoGradGuard no_grad;
    for (ParameterGroup& group : groups_) {
      const ParameterLists& lists = group.with_gradients();
      if (lists.empty()) continue;
      const auto& steps = lists.state[kStep];
      // The steps are counted before the update, which divides by 1 - beta^step.
      at::_foreach_add_(steps, one_);
      if (serves(lists, terms)) {
        by_passes(lists, value_of(rate), group.weight_decay(), terms);
      } else {
        group.cast_gradients();
        with_rate(rate, [&](const auto& learning_rate) {
          fused_update(lists, learning_rate, group.weight_decay(), terms);
        });
      }
      // A skipped step is not counted, as in PyTorch.
      if (terms.found_inf.defined()) {
        at::_foreach_add_(steps, terms.found_inf.squeeze(), -1);
      }
      group.release_gradients();
    }
  }

  bool takes_kept_gradients() const override { return is_in_float_on_cpu(groups_); }
  void use(workloads::WeightCopies& copies) override {
    for (ParameterGroup& group : groups_) group.use(&copies);
  }

  void visit_state(StateVisitor& visitor) override {
    for (ParameterGroup& group : groups_) group.visit_state(visitor);
  }

 private:
  static constexpr std::size_t kMean = WeightPasses::kMean, kMeanSquare = WeightPasses::kMeanSquare,
                               kStep = 2;

  void by_passes(const ParameterLists& lists, double rate, double weight_decay,
                 const GradientTerms& terms) const {
    kernels::AdamNumbers numbers{.divisor = divisor_of(terms),
                                 .rate = rate,
                                 .beta1 = beta1_,
                                 .beta2 = beta2_,
                                 .eps = eps_,
                                 .weight_decay = weight_decay,
                                 .decoupled = decay_ == Decay::kDecoupled};
    WeightPasses(lists).adam([&](std::size_t tensor) {
      const double steps = lists.state[kStep][tensor].item<float>();
      numbers.correction1 = 1 - std::pow(beta1_, steps);
      numbers.correction2 = std::sqrt(1 - std::pow(beta2_, steps));
      return numbers;
    });
  }

  template <class Rate>
  void fused_update(const ParameterLists& lists, const Rate& rate, double weight_decay,
                    const GradientTerms& terms) {
    const auto divisor = divisor_for(lists, terms);
    const auto with = [&](auto&& kernel) {
      kernel(lists.parameters, lists.gradients, lists.state[kMean], lists.state[kMeanSquare],
             at::TensorList{}, lists.state[kStep], rate, beta1_, beta2_, weight_decay, eps_,
             /*amsgrad=*/false, /*maximize=*/false, divisor, if_defined(terms.found_inf));
    };
    if (decay_ == Decay::kDecoupled) {
      with([](const auto&... arguments) { at::_fused_adamw_(arguments...); });
    } else {
      with([](const auto&... arguments) { at::_fused_adam_(arguments...); });
    }
  }

  static at::TensorOptions counter_options(const at::Tensor& parameter) {
    return at::TensorOptions().dtype(at::kFloat).device(parameter.device());
  }

  static std::vector<at::Tensor> step_counters(const std::vector<at::Tensor>& parameters) {
    std::vector<at::Tensor> counters;
    for (const at::Tensor& parameter : parameters) {
      counters.push_back(at::zeros({}, counter_options(parameter)));
    }
    return counters;
  }

  std::vector<ParameterGroup> groups_;
  double beta1_, beta2_, eps_;
  Decay decay_;
  at::Tensor one_;
};

std::vector<ParameterGroup> groups_by_decay(const Parameters& parameters,
                                            const RecipeSettings& recipe) {
  return make_groups(parameters, recipe.weight_decay, recipe.decay_norms_and_biases,
                     Split::kByDecay);
}

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const Parameters& parameters, const RecipeSettings& recipe,
                                    const WholeNorms&) {
  if (recipe.nesterov && recipe.momentum <= 0) {
    throw configuration("nesterov with momentum " + std::to_string(recipe.momentum),
                        "a momentum above 0");
  }
  return std::make_unique<Sgd>(groups_by_decay(parameters, recipe), recipe.momentum,
                               recipe.nesterov);
}

std::unique_ptr<Optimizer> make_adam(const Parameters& parameters, const RecipeSettings& recipe,
                                     const WholeNorms&) {
  return std::make_unique<Adam>(groups_by_decay(parameters, recipe), recipe, Decay::kInGradient);
}

std::unique_ptr<Optimizer> make_adamw(const Parameters& parameters, const RecipeSettings& recipe,
                                      const WholeNorms&) {
  return std::make_unique<Adam>(groups_by_decay(parameters, recipe), recipe, Decay::kDecoupled);
}

}  // namespace scalemark::training
