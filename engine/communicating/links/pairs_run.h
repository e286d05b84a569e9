// `comm --pairs`: all links between nodes, by node or by rank, or between the ranks of one node.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/planning/collectives/collective_plan.h"
#include "core/reporting/collectives/collectives.h"
#include "engine/process/rank_context.h"

namespace scalemark::communicating {

struct MeasuredPairs {
  std::vector<reporting::PairSamples> pairs;
  std::vector<reporting::LinkEnd> ends;
  bool between_nodes = false;  // else between the ranks of one node
};

// Collective over the session. `name`: of the group, unique within the run. `between`: called on
// each member between two rounds. The result is rank 0's; empty on the others.
MeasuredPairs run_pairs(process::RankContext& context, const std::string& name,
                        const planning::PairPlan& plan, const std::function<void()>& between);

}  // namespace scalemark::communicating
