// A step computes forward, backward and update of a network on batches that are on its device.
// Enqueues only. Pulls no batches, marks nothing by itself and counts no steps: whoever drives it
// does (TrainStep step by step; a captured graph once for all).
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/settings/settings.h"
#include "data/batch.h"
#include "engine/measurement/step_timer.h"
#include "engine/training/optimizer.h"
#include "engine/training/precision.h"
#include "engine/training/strategy.h"
#include "workloads/network.h"
#include "workloads/weight_copies.h"

namespace scalemark::training {

struct StepBodyOptions {
  c10::Device device = c10::kCPU;
  std::int64_t micro_steps = 1;
  std::optional<double> clip_grad_norm;
  settings::Precision precision = settings::Precision::kFp32;
  // Whether weights that autocast would cast keep their copies between steps. Not where something
  // but the optimizer writes parameters.
  bool weight_copies = false;
  bool exchanges_gradients = true;  // some rank's strategy reads them
};

class StepBody {
 public:
  // The network stands on `options.device`, in train mode. `parameters` are those of the network
  // that the strategy was made from, the optimizer from those that the strategy gives it.
  StepBody(workloads::Network& network, const std::vector<NamedParameter>& parameters,
           std::unique_ptr<Optimizer> optimizer, std::unique_ptr<Strategy> strategy,
           StepBodyOptions options);

  // One micro-step, in this order; `last`: of its step. forward() returns the micro-batch's share
  // of the step's mean loss, with its graph. `marker` is for what the strategy does in between.
  void prepare(bool last) { strategy_->before_forward(last); }
  at::Tensor forward(const data::Batch& batch);
  void backward(const at::Tensor& loss, bool last, measurement::StepMarker& marker);

  // After the last micro-step. Gradients are gone, or zero, afterwards.
  void update(const LearningRate& rate, measurement::StepMarker& marker);

  // Every update tells it of each gradient that this rank's optimizer gets, by the parameter's
  // name: averaged and unscaled, not clipped. Empty: nobody.
  using GradientObserver = std::function<void(const std::string&, const at::Tensor&)>;
  void observe_gradients(GradientObserver observer) { observer_ = std::move(observer); }

  Strategy& strategy() { return *strategy_; }
  const PrecisionPolicy& precision() const { return precision_; }
  const StepBodyOptions& options() const { return options_; }

  // Parameters and buffers of the network, optimizer, gradient scaler and strategy.
  void visit_state(StateVisitor& visitor);

 private:
  GradientTerms terms_of_gradients();
  void collect_all_gradients();
  void show_gradients();
  std::unique_ptr<workloads::WeightCopies> make_copies() const;

  workloads::Network& network_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> updated_;  // those of this rank's optimizer
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Strategy> strategy_;
  StepBodyOptions options_;
  PrecisionPolicy precision_;
  std::optional<GradientScaler> scaler_;
  std::unique_ptr<workloads::WeightCopies> copies_;
  std::vector<at::Tensor> gradients_;
  GradientObserver observer_;
};

}  // namespace scalemark::training
