#include "engine/measurement/step_clock.h"

namespace scalemark::measurement {

StepClock::StepClock(device::Device& device, std::int64_t steps, std::int64_t steps_per_mark)
    : timeline_(device.new_timeline()), steps_per_mark_(steps_per_mark) {
  timeline_->reserve(static_cast<std::size_t>(steps / steps_per_mark + 2));
}

void StepClock::mark(Moment moment) {
  const bool is_begin = moment == Moment::kStepBegin && !in_micro_steps_;
  const bool is_end = moment == Moment::kWindowEnd;
  if ((is_begin || is_end) && begun_ % steps_per_mark_ == 0) timeline_->record();
  if (is_begin) ++begun_;
  in_micro_steps_ = moment == Moment::kBackwardEnd;
}

std::vector<double> StepClock::step_s() const {
  const auto moments = timeline_->seconds();
  std::vector<double> steps;
  for (std::size_t i = 1; i < moments.size(); ++i) {
    steps.push_back((moments[i] - moments[i - 1]) / static_cast<double>(steps_per_mark_));
  }
  return steps;
}

}  // namespace scalemark::measurement
