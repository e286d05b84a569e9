// The StepMarker of a measured window: room for every mark is made before the window opens.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/device/device.h"
#include "engine/measurement/phases.h"
#include "engine/measurement/step_timer.h"

namespace scalemark::measurement {

class WindowTimer final : public StepMarker {
 public:
  WindowTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps);

  void mark(Moment moment) override {
    timeline_->record();
    moments_.push_back(moment);
  }

  // Per step; call after mark(kWindowEnd) and a synchronise of the device.
  std::vector<PhaseTimes> steps() const;

 private:
  std::unique_ptr<device::Timeline> timeline_;
  std::vector<Moment> moments_;
};

// Outside windows: marks nothing.
class NoMarker final : public StepMarker {
 public:
  void mark(Moment) override {}
};

}  // namespace scalemark::measurement
