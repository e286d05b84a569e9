// The losses of a run's steps, copied to the host without stalling a step: all of a window's, and
// those at the steps that every run keeps.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/step/step_body.h"
#include "report/record/records.h"

namespace scalemark::running {

// The losses of a run at the steps that every run keeps (report/judge/point/rank_steps.h), warm-up
// included. Runs of different lengths are compared by these.
class LossCourse {
 public:
  // Notes the loss of an unmeasured step, counted from 1: if it is kept, a copy stays on the
  // device. Never waits for the loss.
  void note(std::int64_t step, const at::Tensor& loss);

  // Adds the losses of a window that followed `before` steps. The device must have been
  // synchronised.
  std::vector<reporting::LossAtStep> with_window(std::int64_t before,
                                                 const std::vector<double>& window) const;

 private:
  std::vector<std::pair<std::int64_t, at::Tensor>> warmup_;
};

// Replaces the losses of each rank's record by their mean over ranks (METRICS.md).
void average_losses(std::vector<reporting::RankMeasurement>& processes);

// The loss of every step of a window.
class LossTrace {
 public:
  // Reserves space for `steps` losses on `device`, before the window opens. `history`: where the
  // steps leave their losses; null: nowhere.
  LossTrace(c10::Device device, std::int64_t steps, const training::LossHistory* history = nullptr);

  // On a CPU this is a store. On a GPU it is an asynchronous copy into pinned memory: one per loss,
  // or, with a history, one each time the history is full. No sync either way.
  void push(const at::Tensor& loss);

  // Returns the latest loss that is certainly on the host; any thread may call it, for progress
  // lines. On a GPU there is none before the window's end.
  std::optional<double> latest() const;

  // Returns all losses so far. The device must have been synchronised, with no step since the
  // latest push.
  std::vector<double> values();

 private:
  void fetch(bool non_blocking, std::int64_t end);

  bool on_cpu_;
  at::Tensor host_;  // float64 on the CPU; for a GPU float32, pinned
  double* cpu_values_ = nullptr;
  const training::LossHistory* history_;
  std::int64_t fetched_ = 0;  // number of the history's losses that are in host_
  std::atomic<std::int64_t> pushed_ = 0;
};

// Throws E_NUMERICS (82) naming the first step whose loss is not finite. `first_step` is the step
// number of losses[0] in the run.
void require_finite(const std::vector<double>& losses, std::int64_t first_step);
void require_finite(const std::string& what, double loss, std::optional<std::int64_t> step);

}  // namespace scalemark::running
