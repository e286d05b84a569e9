// A sweep goes on when the ranks of one environment (--env) die: their runs are rows that failed,
// and the others follow.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/launching/local_launcher.h"
#include "core/planning/plan.h"
#include "core/planning/sweep_schedule.h"
#include "core/reporting/record/records.h"

namespace scalemark::cli {

// Whether such an end says nothing of the environment: bad usage, no place for the report, or the
// wish of a person.
bool ends_the_sweep(ExitCode code);

// One line: which rank, and what it said.
std::string end_of_ranks(const launching::LaunchResult& result);

// Rows of the runs of block `block` in `environment` that `earlier` lacks.
std::vector<reporting::PointRecord> failed_runs(const planning::Plan& plan,
                                                const settings::Variables& environment, int block,
                                                const std::vector<planning::EarlierRun>& earlier,
                                                const std::string& reason);

}  // namespace scalemark::cli
