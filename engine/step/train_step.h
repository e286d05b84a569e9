// Drives a step body step by step: micro-batches and the schedule's learning rate in, a loss on the
// device out, moments marked. Enqueues only: no host sync, no logging, and no branch on the rank.
// Knows nothing of windows or reports.
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
// From total_steps on the value of step total_steps holds.
struct LrSchedule {
  std::string kind = "constant";
  double rate = 0;
  std::int64_t warmup_steps = 0;
  std::int64_t total_steps = 0;
};

// Throws configuration() for an unknown kind, or a schedule that ends before its warm-up does.
void validate(const LrSchedule& schedule);

// The rate of step `step` (from 0) of a validated schedule.
double learning_rate_at(const LrSchedule& schedule, std::int64_t step);

struct TrainStepOptions {
  StepBodyOptions body;
  LrSchedule schedule;
  std::shared_ptr<device::Graph> graph;  // that steps are captured into; null: none is
};

// The steps of a run have trained on so much so far.
struct Consumed {
  std::int64_t batches = 0;  // the position in the data
  std::int64_t samples = 0;  // padding included
  std::int64_t padding = 0;
  std::int64_t non_pad_tokens = 0;
  // These are of this process alone, and no state: a resume does not bring them back.
  std::int64_t trained = 0;  // samples without padding
  double waited_s = 0;       // for batches

  void add(const data::Batch& batch) {
    ++batches;
    samples += batch.samples;
    padding += batch.padding;
    non_pad_tokens += batch.non_pad_tokens;
    trained += batch.samples - batch.padding;
    waited_s += batch.wait_s;
  }
};

// With a graph it runs a step as a whole (CapturedStep).
class TrainStep {
 public:
  // StepBody explains these arguments.
  TrainStep(workloads::Network& network, const std::vector<NamedParameter>& parameters,
            std::unique_ptr<Optimizer> optimizer, std::unique_ptr<Strategy> strategy,
            TrainStepOptions options);

  // One optimizer step over as many batches as micro-steps. `next_batch` may wait; a process that
  // computes nothing (Strategy::computes) does not ask it. On a GPU it is asked one batch ahead,
  // across calls; on a CPU never beyond what the step uses. Returns the mean loss of the
  // micro-steps: a scalar on the device, in the network's dtype, not to be read before the device
  // is done. With a graph only kStepBegin is marked, once, and the scalar changes in the next step.
  at::Tensor run(const NextBatch& next_batch, measurement::StepMarker& marker);

  // With a graph: the latest losses. Null without: nobody keeps them here.
  const LossHistory* losses() const { return captured_ ? &captured_->losses() : nullptr; }

  // How many steps come first until all that follow are alike: 0, or with the one that is captured.
  std::int64_t first_steps() const;

  // Whether steps are marked as a whole, from begin to begin.
  bool runs_as_a_whole() const { return captured_.has_value(); }

  // Not of captured steps; see StepBody.
  void observe_gradients(StepBody::GradientObserver observer) {
    body_.observe_gradients(std::move(observer));
  }

  std::int64_t steps_done() const { return steps_done_; }
  const Consumed& consumed() const { return consumed_; }
  double learning_rate() const { return learning_rate_; }  // the last step used it
  Strategy& strategy() { return body_.strategy(); }
  const PrecisionPolicy& precision() const { return body_.precision(); }  // for evaluation

  // Between two steps: what was fetched ahead, which waits until it is given back; null on a CPU.
  // Steps in between fetch for themselves.
  std::unique_ptr<CopyAhead> set_ahead_aside();
  void give_back(std::unique_ptr<CopyAhead> ahead);

  // Between two steps: the body's state, the step count and the position in the data. When the
  // visitor moved the position, a batch that was fetched ahead is dropped.
  void visit_state(StateVisitor& visitor);

 private:
  data::Batch fetch(const NextBatch& next_batch);
  at::Tensor run_captured(const NextBatch& next_batch, measurement::StepMarker& marker);
  at::Tensor micro_step(data::Batch batch, bool last, measurement::StepMarker& marker);

  LrSchedule schedule_;
  StepBody body_;
  std::shared_ptr<device::Graph> graph_;
  std::optional<CapturedStep> captured_;
  std::unique_ptr<CopyAhead> copies_;  // on a GPU
  Consumed consumed_;
  std::int64_t steps_done_ = 0;
  double learning_rate_ = 0;
};

}  // namespace scalemark::training
