// From what `comm` is asked for to what it measures: the cross product of the lists, and the points
// that cannot be, with the reasons. Pure: the machine and the launched ranks arrive as numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/collectives/collective.h"
#include "core/plan/collectives/collective_plan.h"
#include "core/settings/comm_settings.h"
#include "core/settings/machine.h"

namespace scalemark::planning {

// Training a workload exchanges messages of these sizes, in elements: all gradients at once
// (strategy flat), and the buckets of DistributedDataParallel by its limits, 1 MiB of float32 for
// the first and 25 MiB for the others, the last one being the rest. Each size once, ascending. Real
// buckets end with a whole parameter, and differ by as much. Empty for a workload that does not
// exist.
std::vector<collectives::MessageSize> gradient_sizes(std::string_view workload);

struct CollectivePlanRequest {
  const settings::CommRequest& asked;
  settings::DeviceKind device = settings::DeviceKind::kCpu;
  int gpus_per_node = 0;          // visible ones
  std::vector<int> node_of_rank;  // one for each launched rank
  std::uint64_t seed = 0;
  std::map<std::string, std::string> missing_backends;  // backends that this program lacks, and why
  std::optional<std::uint64_t> memory_available_bytes;  // for one rank
};

struct CollectivePlanAnswer {
  CollectivePlan plan;                      // complete only without problems
  settings::CommSettings comm;              // the request, with what was not given decided
  std::vector<settings::Problem> problems;  // values that no point could use, too many points
};

// Points are in the order of the options: collectives, sizes, dtypes, backends, ways to call
// (--via, --in-place, --overlap-compute, --congestion), world sizes, placements; the last one
// changes first. A point that would be the same as one before it is left out: a barrier of another
// size, a placement that gives the same ranks, a size that rounds to the same.
CollectivePlanAnswer make_collective_plan(const CollectivePlanRequest& request);

// Ranks to launch on all nodes when no launcher says how many: the largest world size asked for;
// where none is, one for each GPU of every node, which counts as `machine`, or 2.
int ranks_wanted(const settings::CommRequest& asked, const settings::Machine& machine);

// The backends that points of the plan use, each once.
std::vector<std::string> used_backends(const CollectivePlan& plan);

}  // namespace scalemark::planning
