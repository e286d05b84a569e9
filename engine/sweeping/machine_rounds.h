// Rank 0 asks all ranks about their machines and devices before the first point. Knows neither how
// they are measured nor what comes after.
#pragma once

#include "core/planning/plan.h"
#include "engine/process/task_loop.h"
#include "engine/sweeping/sweep_command.h"
#include "engine/sweeping/sweep_member.h"
#include "engine/sweeping/sweep_report.h"

namespace scalemark::sweeping {

class MachineRounds {
 public:
  // `member`: rank 0 as one of the ranks. `report` gets what they answer.
  MachineRounds(process::TaskLoop& loop, const planning::Plan& plan, SweepMember& member,
                SweepReport& report)
      : loop_(loop), plan_(plan), member_(member), report_(report) {}

  // Both throw peer_lost() (69) where a rank does not answer. Where the run is asked to stop they
  // end early.
  void take_fingerprint();
  void check_devices();

 private:
  void ask_devices(FingerprintPart part);
  FingerprintAnswer ask_ranks(const SweepCommand& command);

  process::TaskLoop& loop_;
  const planning::Plan& plan_;
  SweepMember& member_;
  SweepReport& report_;
};

}  // namespace scalemark::sweeping
