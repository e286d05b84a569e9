// Turns the moments of a step into a profiler's ranges: one for the step, in it one for each phase,
// in backward one for each gradient bucket. docs/MONITORING.md lists them.
#pragma once

#include "engine/device/device.h"
#include "engine/step/measurement/step_timer.h"

namespace scalemark::measurement {

class RangeMarker final : public StepMarker {
 public:
  // Passes every moment to `next`. `micro_steps`: 0 where steps are marked as a whole, without
  // phases. `first_step`: the number of the next step in the run.
  RangeMarker(StepMarker& next, device::Ranges& ranges, std::int64_t micro_steps,
              std::int64_t first_step)
      : next_(next), ranges_(ranges), micro_steps_(micro_steps), step_(first_step) {}

  void mark(Moment moment) override;
  void bucket_leaves(std::size_t i) override;
  void bucket_has_left() override;

 private:
  void begin_micro_step();
  void end_micro_step();
  void end_step();
  void begin_whole_step();
  void end_whole_step();
  void begin_phase(const char* name);  // ends the phase before
  void end_phase();

  StepMarker& next_;
  device::Ranges& ranges_;
  std::int64_t micro_steps_, step_;
  std::int64_t micro_steps_done_ = 0;  // counts those of the current step
  bool in_phase_ = false, in_whole_step_ = false;
};

}  // namespace scalemark::measurement
