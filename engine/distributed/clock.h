// Time as ranks see it. Tests move it themselves; else it is the machine's steady clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace scalemark::distributed {

class Clock {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  virtual ~Clock() = default;
  virtual time_point now() const = 0;
  virtual void sleep_for(milliseconds time) = 0;
  // Waits until `done`, for `limit` at most; `changed` tells when to look again. Returns done().
  virtual bool wait_for(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                        milliseconds limit, const std::function<bool()>& done) = 0;
  // A thread that waits by this clock. The caller joins it by join().
  virtual std::thread start(std::function<void()> body) = 0;
  virtual void join(std::thread& thread) = 0;
  // Whether a request to a store may block for ever, so that it must be made in a thread of its
  // own: see within().
  virtual bool stores_may_block() const = 0;
};

Clock& real_clock();

// How long a wait has lasted, in time during which this process could run: after a run was stopped
// (SIGSTOP, scontrol suspend, a machine that slept) and continued, its deadlines must not all have
// passed.
//
// Read more often than every kMostBetween, it is its clock. A longer time between two reads means
// that the process did not run, and counts as kMostBetween. For one thread.
class AwakeClock {
 public:
  static constexpr std::chrono::milliseconds kMostBetween{2000};

  explicit AwakeClock(const Clock& clock = real_clock()) : clock_(clock), last_(clock.now()) {}

  std::chrono::milliseconds elapsed() {
    const auto now = clock_.now();
    elapsed_ += std::min<Clock::time_point::duration>(now - last_, kMostBetween);
    last_ = now;
    return std::chrono::duration_cast<std::chrono::milliseconds>(elapsed_);
  }

 private:
  const Clock& clock_;
  Clock::time_point last_;
  Clock::time_point::duration elapsed_{0};
};

}  // namespace scalemark::distributed
