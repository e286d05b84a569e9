// Runs a step body step by step: takes micro-batches and the schedule's learning rate, returns a
// loss on the device, and marks moments. Enqueues only: no host sync, no logging, and no branch on
// the rank. Knows nothing of windows or reports.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/load/batch.h"
#include "engine/device/graph.h"
#include "engine/step/copy_ahead.h"
#include "engine/step/measurement/step_timer.h"
#include "engine/step/step_body.h"

namespace scalemark::training {

// The learning rate as a function of the step. Pure; knows nothing of torch, optimizers or epochs.
// Warm-up first: step t < warmup_steps has (t + 1) / warmup_steps of the rate. Then, with s steps
// since the warm-up and S = total_steps - warmup_steps, as torch.optim.lr_scheduler:
//   constant    rate
//   cosine      rate (1 + cos(pi s / S)) / 2                          CosineAnnealingLR, eta_min 0
//   step        rate x 0.1 at each of 3/9, 6/9 and 8/9 of S           MultiStepLR (30, 60, 80 of 90
//               epochs: arXiv:1706.02677)
//   linear      rate (1 - s / S)                                      LinearLR to 0
//   polynomial  rate (1 - s / S)^2                                    PolynomialLR, power 2
//               (arXiv:1708.03888)
//   cyclic      from rate / 4 up to rate and back, four times         CyclicLR, triangular
//               (arXiv:1506.01186, section 3: a quarter to a third; end after a full cycle)
// After total_steps the rate stays at the value of step total_steps.
struct LrSchedule {
  std::string kind = "constant";
  double rate = 0;
  std::int64_t warmup_steps = 0;
  std::int64_t total_steps = 0;
};

// Throws configuration() for an unknown kind, or a schedule that ends before its warm-up does.
void validate(const LrSchedule& schedule);

// Returns the rate of step `step` (from 0) of a validated schedule.
double learning_rate_at(const LrSchedule& schedule, std::int64_t step);

struct TrainStepOptions {
  StepBodyOptions body;
  LrSchedule schedule;
  std::shared_ptr<device::Graph> graph;  // the graph into which steps are captured; null: none are
};

// The data that the steps of a run have used for training so far.
struct Consumed {
  std::int64_t batches = 0;  // position in the data
  std::int64_t samples = 0;  // padding included
  std::int64_t padding = 0;
  std::int64_t non_pad_tokens = 0;
  // These belong to this process alone and are no state: a resume does not restore them.
  std::int64_t trained = 0;  // samples without padding
  double waited_s = 0;       // waiting time for batches

  void add(const data::Batch& batch) {
    ++batches;
    samples += batch.samples;
    padding += batch.padding;
    non_pad_tokens += batch.non_pad_tokens;
    trained += batch.samples - batch.padding;
    waited_s += batch.wait_s;
  }
};

// One optimizer step: fetches batches, runs the body, sets the learning rate. With a CUDA graph the
// whole step is captured once and replayed (CapturedStep).
class TrainStep {
 public:
  // StepBody explains these arguments.
  TrainStep(workloads::Network& network, const std::vector<NamedParameter>& parameters,
            std::unique_ptr<Optimizer> optimizer, std::unique_ptr<Strategy> strategy,
            TrainStepOptions options);

  // Runs one optimizer step over one batch per micro-step. `next_batch` may wait; a process that
  // computes nothing (Strategy::computes) does not call it. On a GPU it is called one batch ahead,
  // across calls; on a CPU never beyond what the step uses. Returns the mean loss of the
  // micro-steps: a scalar on the device, in the network's dtype, not to be read before the device
  // is done. With a graph only kStepBegin is marked, once, and the scalar changes in the next step.
  at::Tensor run(const NextBatch& next_batch, measurement::StepMarker& marker);

  // Returns the latest losses of a graph's steps; null without a graph.
  const LossHistory* losses() const { return captured_ ? &captured_->losses() : nullptr; }

  // Returns the number of first steps that differ from all later ones: 0, or those up to the
  // captured one.
  std::int64_t first_steps() const;

  // Whether steps are marked as a whole, from begin to begin.
  bool runs_as_a_whole() const { return captured_.has_value(); }

  // Captured steps have no observer; see StepBody.
  void observe_gradients(StepBody::GradientObserver observer) {
    body_.observe_gradients(std::move(observer));
  }

  std::int64_t steps_done() const { return steps_done_; }

  // The next step has the rate of step `step` of the schedule, and so on from there. Unless this is
  // called, the schedule follows the steps done.
  void set_schedule_step(std::int64_t step) { off_schedule_ = steps_done_ - step; }

  const Consumed& consumed() const { return consumed_; }
  double learning_rate() const { return learning_rate_; }  // the last step's rate
  Strategy& strategy() { return body_.strategy(); }
  const PrecisionPolicy& precision() const { return body_.precision(); }  // evaluation uses it

  // Takes out the batch that was fetched ahead, until it is given back; null on a CPU. Call it
  // between two steps. Steps in between fetch for themselves.
  std::unique_ptr<CopyAhead> set_ahead_aside();
  void give_back(std::unique_ptr<CopyAhead> ahead);

  // Visits the body's state, the step count and the position in the data, between two steps. When
  // the visitor has moved the position, a batch that was fetched ahead is dropped.
  void visit_state(StateVisitor& visitor);

 private:
  data::Batch fetch(const NextBatch& next_batch);
  at::Tensor run_captured(const NextBatch& next_batch, measurement::StepMarker& marker);
  at::Tensor micro_step(data::Batch batch, bool last, measurement::StepMarker& marker);

  LrSchedule schedule_;
  StepBody body_;
  std::shared_ptr<device::Graph> graph_;
  std::optional<CapturedStep> captured_;
  std::unique_ptr<CopyAhead> copies_;  // null on a CPU
  Consumed consumed_;
  std::int64_t steps_done_ = 0;
  std::int64_t off_schedule_ = 0;  // the steps done that are no steps of the schedule
  double learning_rate_ = 0;
};

}  // namespace scalemark::training
