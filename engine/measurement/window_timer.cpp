#include "engine/measurement/window_timer.h"

#include "engine/measurement/thinning.h"

namespace scalemark::measurement {

WindowTimer::WindowTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps)
    : timeline_(device.new_timeline()) {
  const auto count = static_cast<std::size_t>(
      steps * (micro_steps * kMomentsPerMicroStep + kMomentsAfterUpdate) + 1);
  timeline_->reserve(count);
  moments_.reserve(count);
}

MarkedSteps WindowTimer::steps() const { return split_into_steps(moments_, timeline_->seconds()); }

ThinnedTimer::ThinnedTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps,
                           std::int64_t steps_per_mark)
    : timeline_(device.new_timeline()),
      steps_per_mark_(steps_per_mark),
      steps_in_groups_(steps / steps_per_mark * steps_per_mark) {
  const std::int64_t groups = steps / steps_per_mark;
  const auto count =
      static_cast<std::size_t>(events_of(groups, micro_steps) + groups * kMomentsAfterUpdate);
  timeline_->reserve(count);
  moments_.reserve(count);
}

void ThinnedTimer::mark(Moment moment) {
  if (moment == Moment::kWindowEnd) return close();
  if (moment == Moment::kStepBegin && !in_micro_steps_) begin_step();
  if (marking_) put(moment);
  in_micro_steps_ = moment == Moment::kBackwardEnd;
}

void ThinnedTimer::begin_step() {
  if (begun_ == steps_in_groups_) close();
  const std::int64_t in_group = begun_++ % steps_per_mark_;
  if (in_group == 1 && marking_) put(Moment::kWindowEnd);
  marking_ = in_group == 0 && begun_ <= steps_in_groups_;
}

// Closes once, and only after the last whole group.
void ThinnedTimer::close() {
  if (begun_ == steps_in_groups_) put(Moment::kWindowEnd);
}

void ThinnedTimer::put(Moment moment) {
  timeline_->record();
  moments_.push_back(moment);
}

MarkedSteps ThinnedTimer::steps() const {
  return split_thinned(moments_, timeline_->seconds(), steps_per_mark_);
}

std::unique_ptr<WindowMarks> make_window_marks(device::Device& device, std::int64_t steps,
                                               std::int64_t micro_steps,
                                               std::int64_t steps_per_mark) {
  if (steps_per_mark == 1) return std::make_unique<WindowTimer>(device, steps, micro_steps);
  return std::make_unique<ThinnedTimer>(device, steps, micro_steps, steps_per_mark);
}

}  // namespace scalemark::measurement
