// A rank's progress, which its main thread stores and any thread reads: the phase and step of its
// run, and counters over all trainings of its process. Knows no records.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/words.h"

namespace scalemark::process {

// Counters of a training rank over all trainings of its process. The training thread stores them,
// relaxed, and a side thread reads them.
class Vitals {
 public:
  using Clock = std::chrono::steady_clock;

  // A training begins, whose counters start at 0. Call it outside timed regions.
  void begin_training() {
    last_step_.store(0, std::memory_order_relaxed);
    samples_before_ = samples();
    waited_before_s_ = data_wait_s();
    loss_.store(kNone, std::memory_order_relaxed);
    learning_rate_.store(kNone, std::memory_order_relaxed);
  }
  // A loop of `planned` steps begins, whose payload is not known yet; absent: time decides. Call it
  // outside timed regions.
  void begin_loop(std::optional<std::int64_t> planned) {
    set_payload(0);
    planned_.store(planned.value_or(-1), std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    loop_began_.store(now(), std::memory_order_relaxed);
  }

  void set_payload(std::int64_t bytes_per_step) { payload_per_step_ = bytes_per_step; }
  std::int64_t payload_per_step() const { return payload_per_step_; }

  // A pass of a loop that does not train, such as an evaluation, has ended.
  void pass_done() noexcept { set(done_, done_.load(std::memory_order_relaxed) + 1); }

  // A step has ended at `time` (of Clock, in its ticks); `samples` and `data_wait_s` are those of
  // this training so far. Uses relaxed stores only.
  void step_done(std::int64_t time, std::int64_t samples, double data_wait_s,
                 const std::optional<double>& loss, double learning_rate) noexcept {
    set(last_step_, time);
    set(steps_, steps() + 1);
    set(learning_rate_, learning_rate);
    set(samples_, samples_before_ + samples);
    set(data_wait_s_, waited_before_s_ + data_wait_s);
    set(payload_bytes_, payload_bytes_.load(std::memory_order_relaxed) + payload_per_step_);
    pass_done();
    if (loss) set(loss_, *loss);
  }

  std::int64_t steps() const { return steps_.load(std::memory_order_relaxed); }
  std::int64_t samples() const { return samples_.load(std::memory_order_relaxed); }
  double data_wait_s() const { return data_wait_s_.load(std::memory_order_relaxed); }
  std::int64_t payload_bytes() const { return payload_bytes_.load(std::memory_order_relaxed); }
  // Returns nothing before the first step.
  std::optional<double> since_step_s() const { return since(last_step_); }

  // The following belong to the loop that began last.
  std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::optional<std::int64_t> planned() const {
    const std::int64_t planned = planned_.load(std::memory_order_relaxed);
    return planned < 0 ? std::nullopt : std::optional(planned);
  }
  std::optional<double> loop_s() const { return since(loop_began_); }
  std::optional<double> loss() const { return known(loss_); }
  std::optional<double> learning_rate() const { return known(learning_rate_); }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  static std::optional<double> known(const std::atomic<double>& number) {
    const double value = number.load(std::memory_order_relaxed);
    return value == value ? std::optional(value) : std::nullopt;
  }
  static std::int64_t now() { return Clock::now().time_since_epoch().count(); }
  static std::optional<double> since(const std::atomic<std::int64_t>& time) {
    const std::int64_t then = time.load(std::memory_order_relaxed);
    if (then == 0) return std::nullopt;
    return std::chrono::duration<double>(Clock::duration(now() - then)).count();
  }
  template <class T>
  static void set(std::atomic<T>& to, T value) noexcept {
    to.store(value, std::memory_order_relaxed);
  }

  // Only the training thread uses these three.
  std::int64_t samples_before_ = 0, payload_per_step_ = 0;
  double waited_before_s_ = 0;
  std::atomic<std::int64_t> last_step_{0}, loop_began_{0};
  std::atomic<std::int64_t> steps_{0}, samples_{0}, payload_bytes_{0}, done_{0}, planned_{-1};
  std::atomic<double> data_wait_s_{0}, loss_{kNone}, learning_rate_{kNone};
};

// Where a run is: its phase and step, for error lines, the watchdog and the progress line. Each
// process has one; the main thread enters phases, any thread reads them.
class PhaseTracker {
 public:
  // A timeout is the number of seconds that a phase may last without a sign of life. `timeout_s`
  // holds for phases without one of their own.
  PhaseTracker(double timeout_s, std::map<std::string, double> phase_timeout_s)
      : timeout_s_(timeout_s), phase_timeout_s_(std::move(phase_timeout_s)) {}

  // Sets the hook that is called with each entered phase and its timeout, for the watchdog.
  void on_enter(std::function<void(const std::string& phase, double timeout_s)> hook) {
    hook_ = std::move(hook);
  }

  void enter(const std::string& phase) {
    {
      const std::lock_guard lock(mutex_);
      phase_ = phase;
    }
    if (hook_) hook_(phase, timeout_of(phase));
  }

  double timeout_of(const std::string& phase) const {
    return value_at(phase_timeout_s_, phase, timeout_s_);
  }

  // Another training begins, which has no finished step.
  void begin_steps() { step_.store(-1, std::memory_order_relaxed); }
  void step_done(std::int64_t step) { step_.store(step, std::memory_order_relaxed); }

  std::string phase() const {
    const std::lock_guard lock(mutex_);
    return phase_;
  }

  // Returns the last finished optimizer step of the run, counted from 0.
  std::optional<std::int64_t> step() const {
    const std::int64_t step = step_.load(std::memory_order_relaxed);
    return step < 0 ? std::nullopt : std::optional(step);
  }

 private:
  double timeout_s_;
  std::map<std::string, double> phase_timeout_s_;
  std::function<void(const std::string&, double)> hook_;
  mutable std::mutex mutex_;
  std::string phase_ = "start";
  std::atomic<std::int64_t> step_{-1};
};

}  // namespace scalemark::process
