// Makes a plan from a request: the cross product of the axes, the points that cannot run or are
// added, and the order of runs. Pure: the machine and the launched ranks arrive as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::planning {

struct PlanRequest {
  const settings::SweepRequest& asked;
  settings::Machine machine;
  settings::Place place;
  std::vector<int> node_of_rank;                        // one for each launched rank
  std::optional<std::uint64_t> memory_available_bytes;  // for one rank
};

struct PlanAnswer {
  Plan plan;                                // complete only without problems
  std::vector<settings::Problem> problems;  // values that no point can use, too many points
};

PlanAnswer make_plan(const PlanRequest& request);

// Ranks to launch on all nodes when no launcher says how many: the processes of the largest world
// size asked for; where none is, one for each GPU of every node, which counts as `machine`, or 2.
int ranks_wanted(const settings::SweepRequest& asked, const settings::Machine& machine);

}  // namespace scalemark::planning
