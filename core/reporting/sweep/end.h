// How a sweep ends: its exit code, and the sentence that says why. Pure.
#pragma once

#include <string>

#include "core/base/exit_code.h"
#include "core/planning/sweep_schedule.h"
#include "core/reporting/record/report.h"

namespace scalemark::reporting {

struct SweepEnd {
  ExitCode exit_code = ExitCode::kPass;
  std::string why;  // one sentence; empty when there is nothing to say
};

// `schedule` is over, or has nothing more to do for these ranks.
SweepEnd end_of_sweep(const Report& report, const planning::Plan& plan,
                      const planning::SweepSchedule& schedule);

}  // namespace scalemark::reporting
