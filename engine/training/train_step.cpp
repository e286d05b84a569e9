#include "engine/training/train_step.h"

#include <ATen/core/grad_mode.h>

#include <string>
#include <utility>

#include "core/base/error.h"

namespace scalemark::training {
namespace {

using measurement::Moment;

TrainStepOptions validated(TrainStepOptions options) {
  validate(options.schedule);
  if (options.gradient_accumulation_steps < 1) {
    throw configuration(
        "gradient_accumulation_steps is " + std::to_string(options.gradient_accumulation_steps),
        "at least 1");
  }
  if (options.clip_grad_norm && !(*options.clip_grad_norm > 0)) {
    throw configuration("clip_grad_norm is " + std::to_string(*options.clip_grad_norm),
                        "a positive number");
  }
  return options;
}

}  // namespace

TrainStep::TrainStep(workloads::Network& network, const std::vector<NamedParameter>& parameters,
                     std::unique_ptr<Optimizer> optimizer, std::unique_ptr<GradientSync> sync,
                     TrainStepOptions options)
    : network_(network),
      parameters_(tensors_of(parameters)),
      optimizer_(std::move(optimizer)),
      sync_(std::move(sync)),
      options_(validated(std::move(options))),
      precision_(options_.precision, options_.device) {
  if (precision_.needs_gradient_scaler()) scaler_.emplace(options_.device);
  if (!options_.device.is_cpu()) copies_.emplace(make_stream_lane(options_.device));
  gradients_.reserve(parameters_.size());
}

at::Tensor TrainStep::run(const NextBatch& next_batch, measurement::StepMarker& marker) {
  const std::int64_t micro_steps = options_.gradient_accumulation_steps;
  at::Tensor mean_loss;
  for (std::int64_t i = 0; i < micro_steps; ++i) {
    marker.mark(Moment::kStepBegin);
    data::Batch batch = copies_ ? copies_->take(next_batch) : next_batch();
    consumed_.add(batch);
    marker.mark(Moment::kBatchReady);
    const at::Tensor loss = micro_step(std::move(batch), i + 1 == micro_steps, marker);
    mean_loss = mean_loss.defined() ? mean_loss + loss : loss;
  }
  update();
  marker.mark(Moment::kOptimizerEnd);
  ++steps_done_;
  return mean_loss;
}

// Forward and backward of one micro-batch; returns its share of the step's mean loss.
at::Tensor TrainStep::micro_step(data::Batch batch, bool last, measurement::StepMarker& marker) {
  if (copies_) copies_->arrive(batch);
  marker.mark(Moment::kOnDevice);
  sync_->before_forward(last);
  marker.mark(Moment::kForwardBegin);
  at::Tensor loss;
  {
    const AutocastScope autocast(precision_);
    loss = network_.loss(batch);
  }
  if (options_.gradient_accumulation_steps > 1) {
    loss = loss / static_cast<double>(options_.gradient_accumulation_steps);
  }
  marker.mark(Moment::kForwardEnd);
  const at::Tensor root = scaler_ ? scaler_->scale(loss) : loss;
  sync_->before_backward(root, last, marker);
  root.backward();
  sync_->after_backward();
  marker.mark(Moment::kBackwardEnd);
  return loss.detach();
}

void TrainStep::update() {
  if (scaler_ || options_.clip_grad_norm) collect_gradients(parameters_, gradients_);
  if (scaler_) scaler_->unscale(gradients_);
  if (options_.clip_grad_norm) clip_gradients(gradients_, *options_.clip_grad_norm);
  gradients_.clear();  // before they are dropped: a second owner would keep their memory
  const double rate = learning_rate_at(options_.schedule, steps_done_);
  optimizer_->step(rate, scaler_ ? scaler_->found_inf() : at::Tensor());
  if (scaler_) scaler_->update();
  zero_gradients(parameters_, sync_->gradients_are_bucket_views() ? ZeroGradients::kInPlace
                                                                  : ZeroGradients::kDrop);
}

}  // namespace scalemark::training
