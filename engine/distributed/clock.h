// Time as ranks see it: calls that may block for ever get a limit, and a side thread polls
// regularly. It is the machine's steady clock, except in tests, which move the time themselves.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace scalemark::distributed {

class Clock {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  virtual ~Clock() = default;
  virtual time_point now() const = 0;
  virtual void sleep_for(milliseconds time) = 0;
  // Waits until `done`, for at most `limit`; `changed` wakes it to check again. Returns done().
  virtual bool wait_for(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                        milliseconds limit, const std::function<bool()>& done) = 0;
  // Starts a thread that waits by this clock. The caller joins it by join().
  virtual std::thread start(std::function<void()> body) = 0;
  virtual void join(std::thread& thread) = 0;
  // Whether a request to a store may block for ever, so that within() must make it in a thread of
  // its own.
  virtual bool stores_may_block() const = 0;
};

Clock& real_clock();

// A side thread noticed that this process did not run for `time`, as it was stopped or its machine
// slept.
void note_stop(std::chrono::milliseconds time);

// Returns the longest such time. Zero: there was none.
std::chrono::milliseconds longest_stop();

// Measures how long a wait has lasted, in time during which this process could run. When a run was
// stopped (SIGSTOP, scontrol suspend, a machine that slept) and continues, its deadlines must not
// all have passed.
//
// Read it more often than every kMostBetween. A longer time between two reads means that the
// process did not run, and counts as kMostBetween. For one thread.
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

// Runs a call that may block for ever, such as a name lookup or a request to a lost store, for at
// most a given time. Returns the result of `call`, or nothing when it has not returned in time; its
// exceptions come through. `by` measures the time, without that in which the whole process was
// stopped, and says whether a call may block at all: where none may, the call is made in this
// thread. A late call continues in its own thread until it returns or the process ends, so it must
// own (by value or shared pointer) everything that it touches. Meanwhile `poll` is called twice a
// second; an exception from it ends the wait.
template <class Call>
auto within(std::chrono::milliseconds limit, Call call, Clock& by = real_clock(),
            const std::function<void()>& poll = {}) -> std::optional<std::invoke_result_t<Call>> {
  if (!by.stores_may_block()) return call();
  using Result = std::invoke_result_t<Call>;
  auto task = std::make_shared<std::packaged_task<Result()>>(std::move(call));
  std::future<Result> result = task->get_future();
  try {
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {  // no thread can be started: late is better than not at all
    (*task)();
  }
  constexpr std::chrono::milliseconds kSlice{500};
  AwakeClock clock(by);
  auto left = limit;
  while (result.wait_for(std::min(left, kSlice)) != std::future_status::ready) {
    left = limit - clock.elapsed();
    if (left <= left.zero()) return std::nullopt;
    if (poll) poll();
  }
  return result.get();
}

// A side thread that calls a function regularly. Knows nothing of the function.
class Periodic {
 public:
  // Calls `poll` after each `period`, and first at once where `at_once`, until it returns false or
  // this object is destroyed, which waits for a poll in progress. `poll` must not throw.
  Periodic(std::chrono::milliseconds period, std::function<bool()> poll,
           Clock& clock = real_clock(), bool at_once = false);
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool closing_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scalemark::distributed
