// A look at the machines before a block: who else uses them? Every rank reads its own for a moment,
// rank 0 puts the readings together, waits a bounded time for a quiet machine, and then goes on.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/planning/plan.h"
#include "core/reporting/point/disturbances.h"
#include "core/reporting/point/telemetry.h"
#include "engine/process/task_loop.h"

namespace scalemark::sweeping {

// The longest wait for a quiet machine: a tenth of the time that the sweep is planned to take, 10 s
// at most; none within a deadline (--quick, --thorough).
double longest_wait_s(const planning::Plan& plan);

class QuietCheck {
 public:
  // `read`: this rank's machine, as SweepMember::read_machine(). `judge`: what of the readings
  // disturbs. `idle` is called between two looks; true: stop waiting.
  struct Options {
    double longest_wait_s = 0;
    std::function<std::string()> read;
    std::function<std::vector<reporting::Finding>(const std::vector<reporting::TelemetryRecord>&)>
        judge;
    std::function<bool()> idle;
  };
  QuietCheck(process::TaskLoop& loop, Options options)
      : loop_(loop), options_(std::move(options)) {}

  // Rank 0 only. In words what else uses the machines, and how long it was waited for; empty: they
  // are quiet. After a wait in vain the next check only looks, until the machines are quiet again.
  std::string before_block();

 private:
  std::string look();

  process::TaskLoop& loop_;
  Options options_;
  bool waited_in_vain_ = false;
};

}  // namespace scalemark::sweeping
