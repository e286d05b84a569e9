// Forward, backward and update of a network on batches that are on its device: operator by
// operator, or captured into a graph once and replayed from then on. Enqueues only. Fetches no
// batches.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/settings/settings.h"
#include "data/load/batch.h"
#include "engine/device/graph.h"
#include "engine/step/measurement/step_timer.h"
#include "engine/step/measurement/window_timer.h"
#include "engine/step/optimizer.h"
#include "engine/step/precision.h"
#include "engine/step/strategy.h"
#include "workloads/layers/weight_copies.h"
#include "workloads/networks/network.h"

namespace scalemark::training {

struct StepBodyOptions {
  c10::Device device = c10::kCPU;
  std::int64_t micro_steps = 1;
  std::optional<double> clip_grad_norm;
  settings::Precision precision = settings::Precision::kFp32;
  // Whether weights that autocast would cast keep their copies between steps. Must be off where
  // anything but the optimizer writes parameters.
  bool weight_copies = false;
  bool exchanges_gradients = true;  // some rank's strategy reads them
};

// Marks nothing itself and counts no steps; its caller does (TrainStep step by step; a captured
// graph once for all).
class StepBody {
 public:
  // The network is on `options.device`, in train mode. The strategy was made from the network's
  // `parameters`, the optimizer from the strategy's.
  StepBody(workloads::Network& network, const std::vector<NamedParameter>& parameters,
           std::unique_ptr<Optimizer> optimizer, std::unique_ptr<Strategy> strategy,
           StepBodyOptions options);

  // One micro-step consists of these calls, in this order; `last`: of its step. forward() returns
  // the micro-batch's share of the step's mean loss, with its graph. `marker` marks what the
  // strategy does in between.
  void prepare(bool last) { strategy_->before_forward(last); }
  at::Tensor forward(const data::Batch& batch);
  void backward(const at::Tensor& loss, bool last, measurement::StepMarker& marker);

  // Call it after the last micro-step. Afterwards gradients are dropped, or zero.
  void update(const LearningRate& rate, measurement::StepMarker& marker);

  // Every update calls the observer with each gradient that this rank's optimizer gets, and the
  // parameter's name. The gradients are averaged and unscaled, but not clipped. Empty: no observer.
  using GradientObserver = std::function<void(const std::string&, const at::Tensor&)>;
  void observe_gradients(GradientObserver observer) { observer_ = std::move(observer); }

  Strategy& strategy() { return *strategy_; }
  const PrecisionPolicy& precision() const { return precision_; }
  const StepBodyOptions& options() const { return options_; }

  // Visits parameters and buffers of the network, optimizer, gradient scaler and strategy.
  void visit_state(StateVisitor& visitor);

 private:
  GradientTerms terms_of_gradients();
  void collect_all_gradients();
  void show_gradients();
  std::unique_ptr<workloads::WeightCopies> make_copies() const;

  workloads::Network& network_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> updated_;  // updated by this rank's optimizer
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Strategy> strategy_;
  StepBodyOptions options_;
  PrecisionPolicy precision_;
  std::optional<GradientScaler> scaler_;
  std::unique_ptr<workloads::WeightCopies> copies_;
  std::vector<at::Tensor> gradients_;
  GradientObserver observer_;
};

// The losses of the latest steps, on their device. The host counts nothing of it, so that a step
// that is captured once and replayed can write its loss here.
class LossHistory {
 public:
  static constexpr std::int64_t kSteps = 1024;

  explicit LossHistory(c10::Device device);

  // Writes a scalar loss. It only enqueues two small operations.
  void write(const at::Tensor& loss);

  // Both return float32 views of memory that the next write changes: the latest `steps` losses in
  // order (at most kSteps), or the latest one as a scalar.
  at::Tensor latest(std::int64_t steps) const;
  const at::Tensor& last() const { return last_; }

 private:
  at::Tensor values_, last_;
};

// A step whose work is captured into a graph once and then replayed with one call. Whatever differs
// from step to step is at fixed places on the device: batches, the learning rate, and the resulting
// losses. The first steps run operator by operator and use the same places.
class CapturedStep {
 public:
  // Both arguments must outlive the object.
  CapturedStep(StepBody& body, device::Graph& graph);

  // Copies the batch of micro-step `i`, from host or device, to its place, on the current stream.
  // Throws configuration() (78) for a batch that is unlike the first one, since a replay would
  // compute something else.
  void put(std::size_t i, const data::Batch& batch);

  // Runs one step on the batches that were put. It only enqueues, except for the captured step
  // itself.
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
