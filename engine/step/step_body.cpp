#include "engine/step/step_body.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/settings/notes.h"
#include "workloads/weights/weights.h"

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

// Gradients stay in the type in which backward computes them where only the optimizer sees them,
// once: a sum of several gradients, or over ranks, needs float.
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

// Collects the gradients that are kept beside copies, too.
void StepBody::collect_all_gradients() {
  collect_gradients(updated_, gradients_);
  if (!copies_) return;
  for (const at::Tensor& parameter : updated_) {
    const workloads::WeightCopy* copy = copies_->find(parameter);
    if (copy && copy->gradient.defined()) gradients_.push_back(copy->gradient);
  }
}

// Unscales the gradients, and returns the divisor that clips them; the same on all ranks.
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
  gradients_.clear();  // freed before they are dropped: a second owner would keep their memory
  return terms;
}

// A weight that is used both with and without its copy has parts of its gradient in both places.
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
  if (copies_) copies_->mark_outdated();  // the visitor may have written parameters
}

LossHistory::LossHistory(c10::Device device)
    : values_(at::zeros({kSteps}, at::TensorOptions().dtype(at::kFloat).device(device))),
      last_(values_[kSteps - 1]) {}

// All losses (4 KB) move by one place, since the device would have to keep a moving index.
void LossHistory::write(const at::Tensor& loss) {
  values_.copy_(at::cat({values_.slice(0, 1), loss.detach().to(at::kFloat).view({1})}));
}

at::Tensor LossHistory::latest(std::int64_t steps) const {
  if (steps > kSteps) throw bug("more losses are asked for than are kept");
  return values_.slice(0, kSteps - steps);
}

namespace {

LearningRate rate_on(c10::Device device) {
  return LearningRate(at::zeros({}, at::TensorOptions().dtype(at::kFloat).device(device)));
}

// Returns a batch of the same shapes on `device`. The network reads the batch's other members once,
// when the step is captured.
data::Batch place_for(const data::Batch& batch, c10::Device device) {
  data::Batch place{
      .samples = batch.samples, .padding = batch.padding, .non_pad_tokens = batch.non_pad_tokens};
  for (const auto& [name, tensor] : batch.tensors) {
    place.tensors[name] = at::empty(tensor.sizes(), tensor.options().device(device));
  }
  return place;
}

Error unlike(const std::string& what) {
  return configuration("with --cuda-graphs on, a batch has " + what + " than the first one",
                       "batches that are all alike: a captured step repeats what it did",
                       "leave --cuda-graphs out");
}

void require_alike(const data::Batch& place, const data::Batch& batch) {
  if (batch.tensors.size() != place.tensors.size()) throw unlike("other fields");
  for (const auto& [name, tensor] : batch.tensors) {
    if (place[name].sizes() != tensor.sizes()) throw unlike("another shape of " + name);
  }
  // A network leaves the mask out for batches without padding.
  if (batch.non_pad_tokens != place.non_pad_tokens) throw unlike("another number of tokens");
}

}  // namespace

CapturedStep::CapturedStep(StepBody& body, device::Graph& graph)
    : body_(body),
      graph_(graph),
      batches_(static_cast<std::size_t>(body.options().micro_steps)),
      rate_(rate_on(body.options().device)),
      losses_(body.options().device) {}

void CapturedStep::put(std::size_t i, const data::Batch& batch) {
  data::Batch& place = batches_.at(i);
  if (place.tensors.empty()) place = place_for(batch, body_.options().device);
  require_alike(place, batch);
  for (const auto& [name, tensor] : batch.tensors) {
    place.tensors.at(name).copy_(tensor, /*non_blocking=*/true);
  }
}

void CapturedStep::run(double learning_rate) {
  set_rate(learning_rate);
  if (steps_ == settings::kStepsBeforeGraph) graph_.capture([this] { compute(); });
  steps_ < settings::kStepsBeforeGraph ? compute() : graph_.replay();
  ++steps_;
}

void CapturedStep::set_rate(double learning_rate) {
  if (steps_ > 0 && rate_.value == learning_rate) return;
  rate_.value = learning_rate;
  rate_.tensor.fill_(learning_rate);
}

void CapturedStep::compute() {
  at::Tensor mean_loss;
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const bool last = i + 1 == batches_.size();
    body_.prepare(last);
    const at::Tensor loss = body_.forward(batches_[i]);
    body_.backward(loss, last, marker_);
    mean_loss = mean_loss.defined() ? mean_loss + loss.detach() : loss.detach();
  }
  body_.update(rate_, marker_);
  losses_.write(mean_loss);
}

}  // namespace scalemark::training
