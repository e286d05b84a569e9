// How long `comm` takes, estimated before it runs. Pure. Rough: by nominal rates of the backends,
// within a factor of 3 or so.
#pragma once

#include "core/planning/collectives/collective_plan.h"

namespace scalemark::planning {

// A run calls its collective for so long, and so often, at least, warm-up and check included.
inline constexpr double kLeastCollectiveRun_s = 0.25;
inline constexpr double kFewestCalls = 40;
inline constexpr double kGroupSetup_s = 0.05;  // of a group of ranks, once for each batch

// One call.
double estimated_call_s(const CollectivePoint& point);

// All blocks, and the start of the ranks.
double estimated_s(const CollectivePlan& plan);

}  // namespace scalemark::planning
