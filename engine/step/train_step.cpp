#include "engine/step/train_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/error.h"
#include "core/settings/notes.h"

namespace scalemark::training {
namespace {

constexpr std::array kKinds = {"constant", "cosine", "step", "linear", "polynomial", "cyclic"};

// How many of the milestones 3/9, 6/9 and 8/9 of `total` have been reached; exact in integers.
int milestones_reached(std::int64_t step, std::int64_t total) {
  return (9 * step >= 3 * total) + (9 * step >= 6 * total) + (9 * step >= 8 * total);
}

constexpr std::int64_t kCycles = 4;
constexpr double kLowestOfCycle = 0.25;

// A triangle wave between kLowestOfCycle and 1 that starts at its lowest value.
double triangle(std::int64_t step, std::int64_t total) {
  const std::int64_t half = std::max<std::int64_t>(1, total / (2 * kCycles));
  const double position =
      static_cast<double>(step % (2 * half)) / static_cast<double>(half);  // [0, 2)
  const double height = position <= 1 ? position : 2 - position;
  return kLowestOfCycle + (1 - kLowestOfCycle) * height;
}

double factor_after_warmup(const std::string& kind, std::int64_t step, std::int64_t total) {
  if (kind == "constant") return 1;
  const double done =
      total == 0 ? 1 : static_cast<double>(step) / static_cast<double>(total);  // [0, 1]
  if (kind == "cosine") return (1 + std::cos(std::numbers::pi * done)) / 2;
  if (kind == "step") return std::pow(0.1, milestones_reached(step, total));
  if (kind == "linear") return 1 - done;
  if (kind == "polynomial") return (1 - done) * (1 - done);
  if (kind == "cyclic") return triangle(step, total);
  throw bug("unvalidated learning-rate schedule '" + kind + "'");
}

}  // namespace

void validate(const LrSchedule& schedule) {
  if (std::find(kKinds.begin(), kKinds.end(), schedule.kind) == kKinds.end()) {
    throw configuration("lr_schedule is '" + schedule.kind + "'",
                        "constant, cosine, step, linear, polynomial or cyclic");
  }
  if (schedule.warmup_steps < 0 || schedule.total_steps < 0) {
    throw configuration("lr_warmup_steps " + std::to_string(schedule.warmup_steps) + " of " +
                            std::to_string(schedule.total_steps) + " steps",
                        "no negative numbers");
  }
  if (schedule.kind != "constant" && schedule.warmup_steps > schedule.total_steps) {
    throw configuration("lr_warmup_steps is " + std::to_string(schedule.warmup_steps),
                        "at most the " + std::to_string(schedule.total_steps) +
                            " steps of the run, of which it is a part");
  }
}

double learning_rate_at(const LrSchedule& schedule, std::int64_t step) {
  if (step < schedule.warmup_steps) {
    return schedule.rate * static_cast<double>(step + 1) /
           static_cast<double>(schedule.warmup_steps);
  }
  const std::int64_t total =
      std::max<std::int64_t>(0, schedule.total_steps - schedule.warmup_steps);
  const std::int64_t since = std::min(step - schedule.warmup_steps, total);
  return schedule.rate * factor_after_warmup(schedule.kind, since, total);
}

namespace {

using measurement::Moment;

LrSchedule validated(LrSchedule schedule) {
  validate(schedule);
  return schedule;
}

}  // namespace

TrainStep::TrainStep(workloads::Network& network, const std::vector<NamedParameter>& parameters,
                     std::unique_ptr<Optimizer> optimizer, std::unique_ptr<Strategy> strategy,
                     TrainStepOptions options)
    : schedule_(validated(std::move(options.schedule))),
      body_(network, parameters, std::move(optimizer), std::move(strategy), options.body),
      graph_(std::move(options.graph)) {
  if (graph_) captured_.emplace(body_, *graph_);
  if (!options.body.device.is_cpu() && body_.strategy().computes()) {
    copies_ = std::make_unique<CopyAhead>(make_stream_lane(options.body.device));
  }
}

at::Tensor TrainStep::run(const NextBatch& next_batch, measurement::StepMarker& marker) {
  if (captured_) return run_captured(next_batch, marker);
  const std::int64_t micro_steps = body_.options().micro_steps;
  at::Tensor mean_loss;
  for (std::int64_t i = 0; i < micro_steps; ++i) {
    marker.mark(Moment::kStepBegin);
    data::Batch batch = fetch(next_batch);
    marker.mark(Moment::kBatchReady);
    const at::Tensor loss = micro_step(std::move(batch), i + 1 == micro_steps, marker);
    mean_loss = mean_loss.defined() ? mean_loss + loss : loss;
  }
  learning_rate_ = learning_rate_at(schedule_, steps_done_ - off_schedule_);
  body_.update(learning_rate_, marker);
  marker.mark(Moment::kStepEnd);
  ++steps_done_;
  return mean_loss;
}

at::Tensor TrainStep::run_captured(const NextBatch& next_batch, measurement::StepMarker& marker) {
  marker.mark(Moment::kStepBegin);
  const auto micro_steps = static_cast<std::size_t>(body_.options().micro_steps);
  for (std::size_t i = 0; i < micro_steps; ++i) {
    const data::Batch batch = fetch(next_batch);
    if (copies_) copies_->wait();
    captured_->put(i, batch);
  }
  learning_rate_ = learning_rate_at(schedule_, steps_done_ - off_schedule_);
  captured_->run(learning_rate_);
  ++steps_done_;
  return captured_->losses().last();
}

std::int64_t TrainStep::first_steps() const {
  return captured_ ? settings::kStepsBeforeGraph + 1 : 0;
}

data::Batch TrainStep::fetch(const NextBatch& next_batch) {
  if (!body_.strategy().computes()) return {};
  data::Batch batch = copies_ ? copies_->take(next_batch) : next_batch();
  consumed_.add(batch);
  return batch;
}

// Runs forward and backward of one micro-batch; returns its share of the step's mean loss.
at::Tensor TrainStep::micro_step(data::Batch batch, bool last, measurement::StepMarker& marker) {
  if (copies_) copies_->arrive(batch);
  marker.mark(Moment::kOnDevice);
  body_.prepare(last);
  marker.mark(Moment::kForwardBegin);
  const at::Tensor loss = body_.forward(batch);
  marker.mark(Moment::kForwardEnd);
  body_.backward(loss, last, marker);
  marker.mark(Moment::kBackwardEnd);
  return loss.detach();
}

std::unique_ptr<CopyAhead> TrainStep::set_ahead_aside() {
  if (!copies_) return nullptr;
  return std::exchange(copies_,
                       std::make_unique<CopyAhead>(make_stream_lane(body_.options().device)));
}

void TrainStep::give_back(std::unique_ptr<CopyAhead> ahead) {
  if (ahead) copies_ = std::move(ahead);
}

void TrainStep::visit_state(StateVisitor& visitor) {
  const std::int64_t position = consumed_.batches;
  body_.visit_state(visitor);
  visitor.visit("steps_done", steps_done_);
  visitor.visit("data.batches", consumed_.batches);
  visitor.visit("data.samples", consumed_.samples);
  visitor.visit("data.padding", consumed_.padding);
  visitor.visit("data.non_pad_tokens", consumed_.non_pad_tokens);
  if (copies_ && consumed_.batches != position) {
    copies_ = std::make_unique<CopyAhead>(make_stream_lane(body_.options().device));
  }
}

}  // namespace scalemark::training
