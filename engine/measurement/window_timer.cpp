#include "engine/measurement/window_timer.h"

namespace scalemark::measurement {

WindowTimer::WindowTimer(device::Device& device, std::int64_t steps, std::int64_t micro_steps)
    : timeline_(device.new_timeline()) {
  const auto count = static_cast<std::size_t>(steps * micro_steps * kMomentsPerMicroStep + 1);
  timeline_->reserve(count);
  moments_.reserve(count);
}

std::vector<PhaseTimes> WindowTimer::steps() const {
  return split_into_phases(moments_, timeline_->seconds());
}

}  // namespace scalemark::measurement
