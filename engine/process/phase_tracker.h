// Where a run is: its phase and step, for error lines, the watchdog and the progress line. One
// object per process; phases are entered by the main thread, read by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace scalemark::process {

class PhaseTracker {
 public:
  // Seconds a phase may last without a sign of life: its own, or the common one.
  PhaseTracker(double timeout_s, std::map<std::string, double> phase_timeout_s)
      : timeout_s_(timeout_s), phase_timeout_s_(std::move(phase_timeout_s)) {}

  // Called with each phase that is entered and its timeout: the watchdog's hook.
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
    const auto found = phase_timeout_s_.find(phase);
    return found == phase_timeout_s_.end() ? timeout_s_ : found->second;
  }

  // Another training begins: it has no finished step.
  void begin_steps() { step_.store(-1, std::memory_order_relaxed); }
  void step_done(std::int64_t step) { step_.store(step, std::memory_order_relaxed); }

  std::string phase() const {
    const std::lock_guard lock(mutex_);
    return phase_;
  }

  // The last finished optimizer step of the run, counted from 0.
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
