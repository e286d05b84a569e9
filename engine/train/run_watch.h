// The StepWatch of a real run: the agreed stop, the check for a broken group, the watchdog's
// heartbeat, the run's position, the progress line, and the events for TensorBoard.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/watchdog.h"
#include "engine/process/rank_group.h"
#include "engine/process/run_console.h"
#include "engine/process/vitals.h"
#include "engine/train/window.h"

namespace scalemark::running {

class RunWatch final : public StepWatch {
 public:
  RunWatch(distributed::StopAgreement& agreement, distributed::Watchdog& watchdog,
           process::PhaseTracker& phase_tracker, process::RunConsole& console,
           const process::GroupGuard& guard, process::Vitals& vitals,
           std::unique_ptr<process::EventLog> events)
      : agreement_(agreement),
        watchdog_(watchdog),
        phase_tracker_(phase_tracker),
        console_(console),
        guard_(guard),
        vitals_(vitals),
        events_(std::move(events)) {
    vitals_.begin_training();
    phase_tracker_.begin_steps();
  }

  void enter(const std::string& phase) override { phase_tracker_.enter(phase); }

  void begin(const std::string& phase, std::optional<std::int64_t> steps,
             std::int64_t micro_steps) override {
    steps_in_phase_ = 0;
    step_ = nullptr;
    vitals_.begin_loop(steps);
    console_.begin(phase, steps, micro_steps);
    if (events_) events_->begin_loop(phase, steps);
  }

  void count(training::TrainStep& step) override {
    step_ = &step;
    vitals_.set_payload(step.strategy().communication().payload_bytes_per_step);
  }

  bool stop_before(std::int64_t step) override {
    guard_.refuse_broken();
    return !agreement_.may_begin(step);
  }

  process::EventLog* events() override { return events_.get(); }

  bool peers_answered() const override {
    const auto stop = agreement_.stop();
    return !stop || stop->agreed;
  }

  void step_done(std::int64_t step, std::optional<double> loss) override {
    const std::int64_t time = watchdog_.heartbeat(step);
    phase_tracker_.step_done(step);
    console_.step_done(++steps_in_phase_, loss);
    if (!step_) return vitals_.pass_done();
    // A step's payload is known once a step has run, in a warm-up or in an epoch.
    if (steps_in_phase_ == 1 && vitals_.payload_per_step() == 0)
      vitals_.set_payload(step_->strategy().communication().payload_bytes_per_step);
    const training::Consumed& consumed = step_->consumed();
    vitals_.step_done(time, consumed.trained, consumed.waited_s, loss, step_->learning_rate());
    if (events_) events_->step_done(step, time, loss, step_->learning_rate());
  }

 private:
  distributed::StopAgreement& agreement_;
  distributed::Watchdog& watchdog_;
  process::PhaseTracker& phase_tracker_;
  process::RunConsole& console_;
  const process::GroupGuard& guard_;
  process::Vitals& vitals_;
  std::unique_ptr<process::EventLog> events_;
  training::TrainStep* step_ = nullptr;  // the current loop's step; null: the loop does not train
  std::int64_t steps_in_phase_ = 0;
};

}  // namespace scalemark::running
