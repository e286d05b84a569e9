// Measures the network under full load: an all-reduce over the parts of a fleet, all parts of a
// division at the same time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan/collectives/collective_plan.h"
#include "engine/comm/measure.h"
#include "engine/process/rank_context.h"

namespace scalemark::communicating {

// One run of one part.
struct MeasuredPart {
  planning::CollectivePoint point;
  int repetition = 0;
  std::string started;  // RFC 3339, UTC
  CollectiveOutcome outcome;
};

// Collective over the session. `between` is called on each rank between two parts of a run. The
// result is on rank 0, in the order of divisions, runs and parts; empty on the others. Throws what
// a collective throws when a rank is gone.
std::vector<MeasuredPart> measure_parts(
    process::RankContext& context,
    const std::vector<std::vector<planning::CollectivePoint>>& divisions,
    const std::function<void()>& between);

}  // namespace scalemark::communicating
