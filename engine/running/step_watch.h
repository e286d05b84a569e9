// The step loops ask between two steps whether to stop early, and report their progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/process/event_log.h"
#include "engine/training/train_step.h"

namespace scalemark::running {

class StepWatch {
 public:
  virtual ~StepWatch() = default;

  // The run enters a phase ("model", "warmup"): for error lines, the report and the watchdog.
  virtual void enter(const std::string& phase) = 0;

  // A loop of `steps` steps begins, each of `micro_steps` batches; outside timed regions.
  virtual void begin(const std::string& phase, std::optional<std::int64_t> steps,
                     std::int64_t micro_steps) = 0;

  // The loop that has begun trains by `step`: what it consumes is counted.
  virtual void count(training::TrainStep&) {}

  // True when all ranks have agreed to stop before step `step` (counted over the whole run): every
  // rank gets the same answer for the same step. Costs an atomic read.
  virtual bool stop_before(std::int64_t step) = 0;

  // After a stop: false when some rank did not take part in the agreement, so that no collective
  // can follow.
  virtual bool peers_answered() const = 0;

  // Where the steps are told besides; null: nowhere.
  virtual process::EventLog* events() { return nullptr; }

  // The watchdog's heartbeat and the progress line's numbers. Costs a few atomic stores.
  virtual void step_done(std::int64_t step, std::optional<double> loss) = 0;
};

}  // namespace scalemark::running
