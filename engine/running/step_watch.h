// What the step loops ask between two steps, and tell: whether to stop early, and that they live.
#pragma once

#include <cstdint>

namespace scalemark::running {

class StepWatch {
 public:
  virtual ~StepWatch() = default;

  // True when all ranks have agreed to stop before step `step` (counted over the whole run): every
  // rank gets the same answer for the same step. Costs an atomic read.
  virtual bool stop_before(std::int64_t step) = 0;

  // The watchdog's heartbeat and the progress line's counter. Costs an atomic store.
  virtual void step_done(std::int64_t step) = 0;
};

}  // namespace scalemark::running
