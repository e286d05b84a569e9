// The losses of a run's steps, fetched without stalling a step: every one of a window, and those at
// the steps that every run keeps.
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

// The losses of a run at the steps that every run keeps (report/judge/point/rank_steps.h), those
// of its warm-up among them: what runs of different lengths are compared by.
class LossCourse {
 public:
  // The loss of an unmeasured step, counted from 1: at a step that is kept, a copy stays on the
  // device. Never waits for it.
  void note(std::int64_t step, const at::Tensor& loss);

  // With the losses of a window that followed `before` steps. The device must have been
  // synchronised.
  std::vector<reporting::LossAtStep> with_window(std::int64_t before,
                                                 const std::vector<double>& window) const;

 private:
  std::vector<std::pair<std::int64_t, at::Tensor>> warmup_;
};

// The losses of each rank become the mean over ranks (docs/METRICS.md): the same on every rank's
// record.
void average_losses(std::vector<reporting::RankMeasurement>& processes);

// The loss of every step of a window.
class LossTrace {
 public:
  // Space for `steps` losses on `device`, reserved before the window opens. `history`: where the
  // steps leave their losses; null: nowhere.
  LossTrace(c10::Device device, std::int64_t steps, const training::LossHistory* history = nullptr);

  // On a CPU a store; on a GPU one asynchronous copy into pinned memory, of a history one when it
  // is full. No sync either way.
  void push(const at::Tensor& loss);

  // The latest loss that is certainly on the host; for progress lines, from any thread. On a GPU
  // that is none before the window's end.
  std::optional<double> latest() const;

  // All losses so far. The device must have been synchronised, with no step since the latest push.
  std::vector<double> values();

 private:
  void fetch(bool non_blocking, std::int64_t end);

  bool on_cpu_;
  at::Tensor host_;  // float64 on the CPU, float32 pinned for a GPU
  double* cpu_values_ = nullptr;
  const training::LossHistory* history_;
  std::int64_t fetched_ = 0;  // so many of the history's losses have been copied to host_
  std::atomic<std::int64_t> pushed_ = 0;
};

// Throws E_NUMERICS (82) naming the first step whose loss is not finite. `first_step` is the number
// of losses[0] in the run.
void require_finite(const std::vector<double>& losses, std::int64_t first_step);
void require_finite(const std::string& what, double loss, std::optional<std::int64_t> step);

}  // namespace scalemark::running
