// Summarises the points of a report by the plan that they come from: summary.h with the slices,
// price and ranks of a plan. Pure.
#pragma once

#include <map>
#include <string>

#include "core/planning/plan.h"
#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// Recomputes groups, scaling, findings of the sweep and all else that is derived from the points;
// findings of single points stay. `stop_reasons`: by group, from SweepSchedule::stop_reasons().
void summarise_by_plan(Report& report, const planning::Plan& plan,
                       std::map<std::string, std::string> stop_reasons);

}  // namespace scalemark::reporting
