// Times of steps outside windows, where no phases are wanted: one moment per step, or per group of
// steps, on the device's timeline. Knows nothing of what the times are for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/device/device.h"
#include "engine/measurement/step_timer.h"

namespace scalemark::measurement {

class StepClock final : public StepMarker {
 public:
  // Times the next `steps` steps, of which the first of every `steps_per_mark` is marked.
  StepClock(device::Device& device, std::int64_t steps, std::int64_t steps_per_mark);

  void mark(Moment moment) override;

  // Mean seconds per step of each whole group, in order; call after mark(kWindowEnd) and a
  // synchronise of the device.
  std::vector<double> step_s() const;

 private:
  std::unique_ptr<device::Timeline> timeline_;
  std::int64_t steps_per_mark_;
  std::int64_t begun_ = 0;       // steps
  bool in_micro_steps_ = false;  // the next kStepBegin is a micro-step's
};

}  // namespace scalemark::measurement
