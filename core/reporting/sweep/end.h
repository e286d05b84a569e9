// How a sweep ends: its exit code, and the sentence that says why. Pure.
#pragma once

#include "core/planning/sweep_schedule.h"
#include "core/reporting/record/report.h"
#include "core/reporting/record/run_end.h"

namespace scalemark::reporting {

// `schedule` is over, or has nothing more to do for these ranks.
RunEnd end_of_sweep(const Report& report, const planning::Plan& plan,
                    const planning::SweepSchedule& schedule);

}  // namespace scalemark::reporting
