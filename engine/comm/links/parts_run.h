// Measures the network under full load: an all-reduce over the parts of a fleet, all parts of a
// division at the same time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/collectives/bandwidth.h"
#include "core/plan/collectives/collective_plan.h"
#include "engine/comm/measure.h"
#include "engine/process/rank_context.h"
#include "report/judge/collectives/collectives.h"

namespace scalemark::communicating {

// One run of one part.
struct MeasuredPart {
  planning::CollectivePoint point;
  int repetition = 0;
  std::string started;  // RFC 3339, UTC
  CollectiveOutcome outcome;
};

// How fast the links of each node were, measured one by one.
class MeasuredLinks {
 public:
  MeasuredLinks() = default;
  // `ends` names nodes as `links` do.
  MeasuredLinks(const std::vector<reporting::LinkRecord>& links,
                const std::vector<reporting::LinkEnd>& ends, std::vector<int> node_of_rank);

  // Returns what all ranks of the point's slowest node reached together. Absent where this was not
  // measured: of one rank of several whose library uses the ports of all.
  std::optional<collectives::NodeNetwork> network_of(const planning::CollectivePoint& point) const;
  std::vector<double> slowest_of_node() const;  // bytes per second; 0: none was measured

 private:
  struct Node {
    collectives::NodeNetwork all_ranks;  // the sum over its ranks of the median link
    double slowest_GBps = 0;
  };
  std::vector<Node> nodes_;
  std::vector<int> node_of_rank_;
  bool by_rank_ = false;
};

// Collective over the session. `between` is called on each rank between two parts of a run. The
// result is on rank 0, in the order of divisions, runs and parts; empty on the others. Throws what
// a collective throws when a rank is gone.
std::vector<MeasuredPart> measure_parts(
    process::RankContext& context,
    const std::vector<std::vector<planning::CollectivePoint>>& divisions,
    const std::function<void()>& between);

}  // namespace scalemark::communicating
