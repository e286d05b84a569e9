// A sweep ends here: whether its numbers are known well enough, its exit code, and the sentence
// that says why. Pure.
#pragma once

#include "core/planning/sweep_schedule.h"
#include "core/planning/until_ci.h"
#include "core/reporting/record/report.h"
#include "core/reporting/record/run_end.h"

namespace scalemark::reporting {

// `schedule` is over, or has nothing more to do for these ranks.
RunEnd end_of_sweep(const Report& report, const planning::Plan& plan,
                    const planning::SweepSchedule& schedule);

// How well each point is known, which --until-ci judges by: from groups[] and scaling[], so that a
// sweep stops by the very intervals that it reports.
planning::Precisions precision_of(const Report& report);

}  // namespace scalemark::reporting
