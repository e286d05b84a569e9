// How long a wait has lasted, in time during which this process could run: after a run was stopped
// (SIGSTOP, scontrol suspend, a machine that slept) and continued, its deadlines must not all have
// passed.
#pragma once

#include <algorithm>
#include <chrono>

namespace scalemark::distributed {

// Read more often than every kMostBetween, it is a steady clock. A longer time between two reads
// means that the process did not run, and counts as kMostBetween. For one thread.
class AwakeClock {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kMostBetween{2000};

  explicit AwakeClock(Clock::time_point now = Clock::now()) : last_(now) {}

  std::chrono::milliseconds elapsed(Clock::time_point now = Clock::now()) {
    elapsed_ += std::min<Clock::duration>(now - last_, kMostBetween);
    last_ = now;
    return std::chrono::duration_cast<std::chrono::milliseconds>(elapsed_);
  }

 private:
  Clock::time_point last_;
  Clock::duration elapsed_{0};
};

}  // namespace scalemark::distributed
