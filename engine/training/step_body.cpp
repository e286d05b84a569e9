#include "engine/training/step_body.h"

#include <ATen/ops/zeros.h>

#include <utility>

#include "core/base/error.h"
#include "workloads/weights.h"

namespace scalemark::training {
namespace {

StepBodyOptions validated(StepBodyOptions options) {
  if (options.micro_steps < 1) {
    throw configuration("gradient_accumulation_steps is " + std::to_string(options.micro_steps),
                        "at least 1");
  }
  if (options.clip_grad_norm && !(*options.clip_grad_norm > 0)) {
    throw configuration("clip_grad_norm is " + std::to_string(*options.clip_grad_norm),
                        "a positive number");
  }
  return options;
}

}  // namespace

StepBody::StepBody(workloads::Network& network, const std::vector<NamedParameter>& parameters,
                   std::unique_ptr<Optimizer> optimizer, std::unique_ptr<Strategy> strategy,
                   StepBodyOptions options)
    : network_(network),
      parameters_(tensors_of(parameters)),
      updated_(tensors_of(strategy->optimizer_parameters())),
      optimizer_(std::move(optimizer)),
      strategy_(std::move(strategy)),
      options_(validated(std::move(options))),
      precision_(options_.precision, options_.device) {
  if (precision_.needs_gradient_scaler()) scaler_.emplace(options_.device);
  gradients_.reserve(updated_.size());
  if (options_.weight_copies && precision_.autocast_dtype()) {
    copies_ = make_copies();
    optimizer_->use(*copies_);
  }
}

// Gradients are kept as backward computes them where only the optimizer sees them, once: a sum of
// several, or of several ranks, is taken in float.
std::unique_ptr<workloads::WeightCopies> StepBody::make_copies() const {
  const bool kept = !options_.exchanges_gradients && options_.micro_steps == 1 && !scaler_ &&
                    optimizer_->takes_kept_gradients();
  return std::make_unique<workloads::WeightCopies>(
      *precision_.autocast_dtype(),
      kept ? workloads::CopyGradients::kKept : workloads::CopyGradients::kOfWeights);
}

at::Tensor StepBody::forward(const data::Batch& batch) {
  if (!strategy_->computes()) return at::zeros({}, options_.device);
  at::Tensor loss;
  {
    const AutocastScope autocast(precision_);
    const workloads::WeightCopiesScope copies(copies_.get());
    loss = network_.loss_of(strategy_->forward(network_, batch), batch);
  }
  if (options_.micro_steps > 1) loss = loss / static_cast<double>(options_.micro_steps);
  return loss;
}

void StepBody::backward(const at::Tensor& loss, bool last, measurement::StepMarker& marker) {
  const at::Tensor root = scaler_ ? scaler_->scale(loss) : loss;
  strategy_->before_backward(root, last, marker);
  if (strategy_->computes()) root.backward(strategy_->backward_seed(root));
  strategy_->after_backward();
}

// With those that are kept beside copies.
void StepBody::collect_all_gradients() {
  collect_gradients(updated_, gradients_);
  if (!copies_) return;
  for (const at::Tensor& parameter : updated_) {
    const workloads::WeightCopy* copy = copies_->find(parameter);
    if (copy && copy->gradient.defined()) gradients_.push_back(copy->gradient);
  }
}

// Unscales them, and says by what they are to be divided so that they are clipped; the same on all
// ranks.
GradientTerms StepBody::terms_of_gradients() {
  GradientTerms terms;
  if (!scaler_ && !options_.clip_grad_norm) return terms;
  collect_all_gradients();
  if (scaler_) {
    scaler_->unscale(gradients_);
    strategy_->infinity_over_ranks(scaler_->found_inf());
    terms.found_inf = scaler_->found_inf();
  }
  if (options_.clip_grad_norm && !updated_.empty()) {
    const at::Tensor norm = strategy_->norm_over_ranks(norm_of(gradients_));
    terms.divisor = clip_divisor(norm, *options_.clip_grad_norm);
  }
  gradients_.clear();  // before they are dropped: a second owner would keep their memory
  return terms;
}

// A weight that is used with its copy and without has parts of its gradient in both places.
void StepBody::show_gradients() {
  for (const NamedParameter& parameter : strategy_->optimizer_parameters()) {
    at::Tensor gradient = parameter.tensor.grad();
    const workloads::WeightCopy* copy = copies_ ? copies_->find(parameter.tensor) : nullptr;
    if (copy && copy->gradient.defined())
      gradient = gradient.defined() ? gradient + copy->gradient : copy->gradient;
    if (gradient.defined()) observer_(parameter.name, gradient);
  }
}

void StepBody::update(const LearningRate& rate, measurement::StepMarker& marker) {
  const GradientTerms terms = terms_of_gradients();
  if (observer_) show_gradients();
  if (copies_) copies_->mark_outdated();
  optimizer_->step(rate, terms);
  if (copies_) copies_->refresh();
  if (scaler_) scaler_->update();
  zero_gradients(parameters_,
                 strategy_->keeps_gradients() ? ZeroGradients::kInPlace : ZeroGradients::kDrop);
  strategy_->after_update(marker);
}

void StepBody::visit_state(StateVisitor& visitor) {
  for (auto& [name, tensor] : workloads::named_state(network_)) {
    at::Tensor shared = tensor;
    visitor.visit("model." + name, shared);
  }
  optimizer_->visit_state(visitor);
  if (scaler_) scaler_->visit_state(visitor);
  strategy_->visit_state(visitor);
  if (copies_) copies_->mark_outdated();  // it may have written parameters
}

}  // namespace scalemark::training
