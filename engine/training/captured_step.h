// A step whose work is captured into a graph once and replayed from then on, with one call. What
// differs from step to step is at fixed places on the device: batches, the learning rate, and the
// losses that come out. The first steps, operator by operator, compute the same from the same
// places.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/batch.h"
#include "engine/device/graph.h"
#include "engine/measurement/window_timer.h"
#include "engine/training/loss_history.h"
#include "engine/training/step_body.h"

namespace scalemark::training {

class CapturedStep {
 public:
  // Both outlive it.
  CapturedStep(StepBody& body, device::Graph& graph);

  // Copies the batch of micro-step `i`, from host or device, to its place; on the current stream.
  // Throws configuration() (78) for a batch that is not like the first one: a replay would compute
  // something else.
  void put(std::size_t i, const data::Batch& batch);

  // One step on the batches that were put. Enqueues only, but for the step that is captured.
  void run(double learning_rate);

  const LossHistory& losses() const { return losses_; }

 private:
  void set_rate(double learning_rate);
  void compute();

  StepBody& body_;
  device::Graph& graph_;
  measurement::NoMarker marker_;  // a replay marks nothing
  std::vector<data::Batch> batches_;
  LearningRate rate_;
  LossHistory losses_;
  std::int64_t steps_ = 0;
};

}  // namespace scalemark::training
