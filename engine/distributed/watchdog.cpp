#include "engine/distributed/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "engine/distributed/clock.h"
#include "engine/distributed/errors.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::hours kForever{24 * 365};

// Returns the exit code; the callbacks may block (on a lock that the stuck thread holds) or throw.
int report_fatal_error(ErrorRecord record, const OnFatal& on_fatal, const FindCause& find_cause,
                       const std::function<void(ErrorRecord&)>& explain = {}) noexcept {
  auto exit_code = std::make_shared<std::atomic<int>>(static_cast<int>(record.exit_code));
  try {
    within(Watchdog::kFatalReportLimit,
           [record = std::move(record), on_fatal, find_cause, explain, exit_code] {
             ErrorRecord final_error = record;
             auto cause = find_cause ? find_cause() : std::nullopt;
             if (cause) {
               cause->phase = record.phase;
               cause->step = record.step;
               final_error = *cause;
               *exit_code = static_cast<int>(final_error.exit_code);
             } else if (explain) {
               explain(final_error);
             }
             if (on_fatal) on_fatal(final_error);
             return true;
           });
  } catch (...) {
  }
  return *exit_code;
}

struct TerminateState {
  OnFatal on_fatal;
  FindCause find_cause;
  std::terminate_handler before = nullptr;
};

// std::terminate's handler takes no argument, so its callbacks need one static place.
std::atomic<TerminateState*> terminate_state{nullptr};

ErrorRecord record_of_current_exception() {
  try {
    if (const auto current = std::current_exception()) std::rethrow_exception(current);
    return bug("the program was terminated without an exception").record();
  } catch (const std::exception& error) {
    return record_of(error);
  } catch (...) {
    return bug("an exception of unknown type").record();
  }
}

[[noreturn]] void on_terminate() noexcept {
  TerminateState* state = terminate_state.exchange(nullptr);
  if (!state) {  // a second thread terminates while the first one reports its error
    std::this_thread::sleep_for(2 * Watchdog::kFatalReportLimit);
    _exit(static_cast<int>(ExitCode::kBug));
  }
  ErrorRecord record = record_of_current_exception();
  const bool lost = record.code == kPeerLostCode;
  _exit(report_fatal_error(std::move(record), state->on_fatal,
                           lost ? state->find_cause : FindCause{}));
}

}  // namespace

Watchdog::Watchdog(OnFatal on_fatal, FindCause find_cause, HangHooks hooks, Clock& clock)
    : on_fatal_(std::move(on_fatal)),
      find_cause_(std::move(find_cause)),
      hooks_(std::move(hooks)),
      clock_(clock),
      thread_(clock.start([this] { run(); })) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    ++changes_;
  }
  changed_.notify_all();
  clock_.join(thread_);
}

void Watchdog::set_phase(std::string name, milliseconds deadline) {
  {
    const std::lock_guard lock(mutex_);
    phase_ = std::move(name);
    deadline_ = deadline;
    heartbeat(-1);
    ++changes_;
  }
  changed_.notify_all();
}

void Watchdog::clear_phase() {
  const std::lock_guard lock(mutex_);
  deadline_.reset();
}

// Sleeps to the moment at which the deadline would pass if no heartbeat came, but wakes once a
// second. A sleep that took much longer shows that the whole process was stopped meanwhile, which
// moves the deadline.
void Watchdog::run() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    if (!deadline_) {
      wait(lock, kForever);
      continue;
    }
    const Clock::time_point last{
        Clock::time_point::duration(last_heartbeat_.load(std::memory_order_relaxed))};
    const auto begun = clock_.now(), end = last + *deadline_;
    if (begun >= end) return expire(std::move(lock));
    const auto half = last + *deadline_ / 2;
    if (begun >= half && reported_stall_ != last) {
      report_stall(lock, last);
      continue;
    }
    auto wake = std::min(begun < half ? half : end, begun + kSlice);
    if (const auto left = until_overdue()) {
      if (left->count() <= 0) {
        report_overdue(lock);
        continue;
      }
      wake = std::min(wake, begun + *left);
    }
    wait(lock, wake - begun);
    const auto late = clock_.now() - wake;
    if (late <= kSlice) continue;
    discount_stopped_time(wake, late);
    if (&clock_ == &real_clock()) note_stop(std::chrono::duration_cast<milliseconds>(late));
  }
}

// Waits until the next phase or the end, for at most `limit`.
void Watchdog::wait(std::unique_lock<std::mutex>& lock, Clock::time_point::duration limit) {
  clock_.wait_for(changed_, lock, std::chrono::ceil<milliseconds>(limit),
                  [this, seen = changes_] { return changes_ != seen; });
}

// Unlocks, since the hook asks the store, and the main thread may enter a phase meanwhile.
void Watchdog::report_stall(std::unique_lock<std::mutex>& lock, Clock::time_point last) {
  reported_stall_ = last;
  if (!hooks_.on_stall) return;
  lock.unlock();
  hooks_.on_stall();
  lock.lock();
}

// Returns nothing where nobody has asked this process to end, or once the overdue end was reported.
std::optional<milliseconds> Watchdog::until_overdue() {
  if (!hooks_.received || overdue_reported_) return std::nullopt;
  if (!since_signal_) {
    const auto signal = hooks_.received();
    if (!signal) return std::nullopt;
    signal_ = *signal;
    since_signal_.emplace(clock_);
  }
  return kOverdue - since_signal_->elapsed();
}

// Unlocks like report_stall().
void Watchdog::report_overdue(std::unique_lock<std::mutex>& lock) {
  overdue_reported_ = true;
  lock.unlock();
  hooks_.on_overdue(signal_);
  lock.lock();
}

// Moves a heartbeat from before the stop forward by the time of the stop; one from after it stays.
void Watchdog::discount_stopped_time(Clock::time_point wake, Clock::time_point::duration late) {
  std::int64_t last = last_heartbeat_.load();
  while (last < wake.time_since_epoch().count() &&
         !last_heartbeat_.compare_exchange_weak(last, last + late.count())) {
  }
}

void Watchdog::expire(std::unique_lock<std::mutex> lock) {
  ErrorRecord record{.code = std::string(kHangCode),
                     .exit_code = ExitCode::kHang,
                     .domain = ErrorDomain::kSoftware,
                     .what = "no progress for " + in_seconds(*deadline_),
                     .hint = "look for the rank that stopped first; --timeout " + phase_ +
                             "=SECONDS allows more time",
                     .phase = phase_};
  if (const auto step = step_.load(std::memory_order_relaxed); step >= 0) record.step = step;
  lock.unlock();
  hooks_.exit(report_fatal_error(std::move(record), on_fatal_, find_cause_, hooks_.explain));
}

TerminateGuard::TerminateGuard(OnFatal on_fatal, FindCause find_cause) {
  auto state = std::make_unique<TerminateState>(
      TerminateState{std::move(on_fatal), std::move(find_cause), std::get_terminate()});
  TerminateState* none = nullptr;
  if (!terminate_state.compare_exchange_strong(none, state.get())) {
    throw bug("a second TerminateGuard while one exists");
  }
  state.release();
  std::set_terminate(on_terminate);
}

TerminateGuard::~TerminateGuard() {
  TerminateState* state = terminate_state.load();
  if (!state || !terminate_state.compare_exchange_strong(state, nullptr)) return;
  std::set_terminate(state->before);
  delete state;
}

}  // namespace scalemark::distributed
