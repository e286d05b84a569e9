// The loss of every step of a window, fetched without stalling the step.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/loss_history.h"

namespace scalemark::running {

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
  std::int64_t fetched_ = 0;  // of the history
  std::atomic<std::int64_t> pushed_ = 0;
};

// Throws E_NUMERICS (82) naming the first step whose loss is not finite. `first_step` is the number
// of losses[0] in the run.
void require_finite(const std::vector<double>& losses, std::int64_t first_step);
void require_finite(const std::string& what, double loss, std::optional<std::int64_t> step);

}  // namespace scalemark::running
