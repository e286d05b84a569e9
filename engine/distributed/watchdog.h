// Ends the process when a phase makes no progress, or when it was asked to end and does not, even
// while the main thread is stuck inside a collective. Time in which the whole process was stopped
// (scontrol suspend) does not count. Knows neither the journal nor the store, which it reaches
// through callbacks.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "engine/distributed/clock.h"

namespace scalemark::distributed {

// Writes the final error of a process to the journal, the console and the error store.
using OnFatal = std::function<void(const ErrorRecord&)>;
// Returns the fault that another rank posted, if any, which is the cause of this rank's hang.
// Usually ErrorStore::find_cause and caused_by().
using FindCause = std::function<std::optional<ErrorRecord>()>;

struct HangHooks {
  // Called once, from a watchdog thread, when half of a deadline is over without a heartbeat. Must
  // return soon.
  std::function<void()> on_stall;
  // Adds to the error of a hang without a posted cause who keeps this rank waiting, and why.
  std::function<void(ErrorRecord&)> explain;
  // Returns the signal that asks this process to end.
  std::function<std::optional<int>()> received;
  // Called once, from a watchdog thread, when a phase lasts for kOverdue after the signal: writes
  // what there is and ends the process. The hook must know itself whether the main thread is
  // already doing that.
  std::function<void(int signal)> on_overdue;
  // Ends the process; a test's hook notes the code instead.
  std::function<void(int)> exit = ::_exit;
};

// The phases have the names of --timeout: settings::timeout_phases().
class Watchdog {
 public:
  explicit Watchdog(OnFatal on_fatal, FindCause find_cause = {}, HangHooks hooks = {},
                    Clock& clock = real_clock());
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // From now on the phase, or each of its steps, must end within `deadline`.
  void set_phase(std::string name, std::chrono::milliseconds deadline);
  // Until the next phase there is no deadline.
  void clear_phase();
  // Reports progress of the step: the phase's deadline starts anew. It costs two relaxed atomic
  // stores and one clock reading, so a timed region may call it. Returns the reading, in ticks of
  // the steady clock.
  std::int64_t heartbeat(std::int64_t step) noexcept {
    const std::int64_t time = clock_.now().time_since_epoch().count();
    step_.store(step, std::memory_order_relaxed);
    last_heartbeat_.store(time, std::memory_order_relaxed);
    return time;
  }

  // All callbacks together may take this long; then the process ends regardless.
  static constexpr std::chrono::milliseconds kFatalReportLimit{5000};
  static constexpr std::chrono::milliseconds kOverdue{6000};

 private:
  static constexpr std::chrono::milliseconds kSlice{1000};
  void run();
  void wait(std::unique_lock<std::mutex>& lock, Clock::time_point::duration limit);
  void report_stall(std::unique_lock<std::mutex>& lock, Clock::time_point last);
  std::optional<std::chrono::milliseconds> until_overdue();
  void report_overdue(std::unique_lock<std::mutex>& lock);
  void discount_stopped_time(Clock::time_point wake, Clock::time_point::duration late);
  void expire(std::unique_lock<std::mutex> lock);

  OnFatal on_fatal_;
  FindCause find_cause_;
  HangHooks hooks_;
  Clock& clock_;
  std::atomic<std::int64_t> step_{-1};
  std::atomic<std::int64_t> last_heartbeat_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string phase_;
  std::optional<std::chrono::milliseconds> deadline_;
  bool closing_ = false;
  int changes_ = 0;                   // counts new phases and the end; a change wakes the thread
  Clock::time_point reported_stall_;  // the last heartbeat before the reported stall
  int signal_ = 0;                    // the received signal
  std::optional<AwakeClock> since_signal_;
  bool overdue_reported_ = false;
  std::thread thread_;  // last: it uses all of the above
};

// While it exists, an uncaught exception in any thread (Gloo throws in its own) ends the process
// through on_fatal with the right exit code instead of abort(): that of record_of() in errors.h, or
// of the posted cause when a peer was lost. There may be one at a time.
class TerminateGuard {
 public:
  explicit TerminateGuard(OnFatal on_fatal, FindCause find_cause = {});
  ~TerminateGuard();
  TerminateGuard(const TerminateGuard&) = delete;
  TerminateGuard& operator=(const TerminateGuard&) = delete;
};

}  // namespace scalemark::distributed
