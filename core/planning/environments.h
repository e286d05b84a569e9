// Points that differ in the variables of --env need processes of their own, since libraries read
// those once: which environments a plan has, and which points run in each. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/planning/plan.h"

namespace scalemark::planning {

// Lists the environments of the points that can run, each once, in the order of the points; at
// least one.
std::vector<settings::Variables> environments_of(const Plan& plan);

const settings::Variables& environment_of(const PlannedPoint& point);

// Brings points of one environment together: environments in the order of their first point, the
// points of each in the order that they had.
void group_by_environment(const Plan& plan, std::vector<std::size_t>& points);

// "NCCL_ALGO=Ring NCCL_PROTO=unset"; empty: none.
std::string to_text(const settings::Variables& environment);

}  // namespace scalemark::planning
