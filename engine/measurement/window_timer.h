// The StepMarkers of a measured window: space for every mark is reserved before the window opens.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/device/device.h"
#include "engine/measurement/phases.h"
#include "engine/measurement/step_timer.h"

namespace scalemark::measurement {

class WindowMarks : public StepMarker {
 public:
  // Per step, or per group of steps; call after mark(kWindowEnd) and a synchronise of the device.
  virtual MarkedSteps steps() const = 0;
};

// Marks every step.
class WindowTimer final : public WindowMarks {
 public:
  WindowTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps);

  void mark(Moment moment) override {
    timeline_->record();
    moments_.push_back(moment);
  }

  MarkedSteps steps() const override;

 private:
  std::unique_ptr<device::Timeline> timeline_;
  std::vector<Moment> moments_;
};

// Marks the first of every `steps_per_mark` steps (2 or more), and where the second one begins:
// thinning.h. Steps after the last whole group are not marked.
class ThinnedTimer final : public WindowMarks {
 public:
  ThinnedTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps,
               std::int64_t steps_per_mark);

  void mark(Moment moment) override;
  MarkedSteps steps() const override;

 private:
  void begin_step();
  void close();
  void put(Moment moment);

  std::unique_ptr<device::Timeline> timeline_;
  std::vector<Moment> moments_;
  std::int64_t steps_per_mark_, steps_in_groups_;
  std::int64_t begun_ = 0;       // steps
  bool in_micro_steps_ = false;  // the next kStepBegin is a micro-step's
  bool marking_ = false;
};

// `steps_per_mark` 1: every step.
std::unique_ptr<WindowMarks> make_window_marks(device::Device& device, std::int64_t steps,
                                               std::int64_t micro_steps,
                                               std::int64_t steps_per_mark);

// Outside windows: marks nothing.
class NoMarker final : public StepMarker {
 public:
  void mark(Moment) override {}
};

}  // namespace scalemark::measurement
