// Rank 0's questions to all ranks about their machines: how fast these are, before the first point,
// and who else uses them, before each block.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "engine/process/task_loop.h"
#include "engine/sweep/sweep_messages.h"
#include "engine/sweep/sweep_report.h"
#include "engine/sweep/training_member.h"
#include "report/judge/point/disturbances.h"
#include "report/judge/point/telemetry.h"

namespace scalemark::sweeping {

// Returns the longest wait for a quiet machine: a tenth of the sweep's planned time, at most 10 s;
// none within a deadline (--quick, --thorough).
double longest_wait_s(const planning::Plan& plan);

// Before a block every rank reads its own machine for a moment. Rank 0 evaluates the readings, and
// waits a bounded time for a quiet machine before it continues.
class QuietCheck {
 public:
  // `read` reads this rank's machine, like SweepMember::read_machine(). `judge` returns what in the
  // readings disturbs. `idle` is called between two readings; true: stop waiting.
  struct Options {
    double longest_wait_s = 0;
    std::function<std::string()> read;
    std::function<std::vector<reporting::Finding>(const std::vector<reporting::TelemetryRecord>&)>
        judge;
    std::function<bool()> idle;
  };
  QuietCheck(process::TaskLoop& loop, Options options)
      : loop_(loop), options_(std::move(options)) {}

  // Rank 0 only. Returns in words what else uses the machines, and how long it has waited; empty:
  // they are quiet. After a wait in vain the next checks only read, until the machines are quiet
  // again.
  std::string before_block();

 private:
  std::string read_machines();

  process::TaskLoop& loop_;
  Options options_;
  bool last_wait_failed_ = false;
};

// The measurements that rank 0 asks for before the first point. Knows neither how machines and
// devices are measured nor what follows.
class MachineRounds {
 public:
  // `member` is rank 0 as one of the ranks. `report` gets the answers.
  MachineRounds(process::TaskLoop& loop, const planning::Plan& plan, SweepMember& member,
                SweepReport& report)
      : loop_(loop), plan_(plan), member_(member), report_(report) {}

  // Both throw peer_lost() (69) where a rank does not answer, and end early where the run is asked
  // to stop.
  void take_fingerprint();
  void check_devices();

 private:
  void ask_devices(FingerprintPart part);
  void ask_nodes();
  FingerprintAnswer ask_ranks(const SweepCommand& command);

  process::TaskLoop& loop_;
  const planning::Plan& plan_;
  SweepMember& member_;
  SweepReport& report_;
};

}  // namespace scalemark::sweeping
