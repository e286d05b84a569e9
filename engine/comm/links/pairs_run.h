// Measures links: with `comm --pairs` all links between nodes, by node or by rank, or between the
// ranks of one node; and at the beginning of every run those between neighbouring hosts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan/collectives/collective_plan.h"
#include "engine/process/nccl_log.h"
#include "engine/process/rank_context.h"
#include "engine/process/rank_group.h"
#include "engine/process/run_report.h"
#include "report/judge/collectives/collectives.h"
#include "report/judge/point/telemetry.h"

namespace scalemark::communicating {

// The first rank of each node, ascending.
std::vector<int> node_leaders(const std::vector<int>& node_of_rank);

// The group over which links are measured: one rank of each node, or all ranks where there is one
// node. Its rank 0 knows their `names`: hosts, or "rank 3" on one node.
struct LinkGroup {
  process::RankGroup& rank_group;
  std::vector<std::string> names;
};

// Collective over the session: the members open a group, call `body` and close the group. Returns
// false on a rank that is no member. Throws what a collective throws when a member is gone.
bool with_link_group(process::RankContext& context, const std::string& name,
                     const std::vector<int>& members, const std::string& backend,
                     const std::function<void(const LinkGroup&)>& body);

struct MeasuredPairs {
  std::vector<reporting::PairSamples> pairs;
  std::vector<reporting::LinkEnd> ends;
  bool between_nodes = false;                     // false: between the ranks of one node
  std::vector<monitoring::NcclChoice> nccl;       // each member's, where NCCL carries them
  std::vector<reporting::RankReadings> readings;  // each member's, of its machine meanwhile
};

// Collective over the session. `name` is the group's, unique within the run. `between` is called on
// each member between two rounds. The result is rank 0's; empty on the others.
MeasuredPairs run_pairs(process::RankContext& context, const std::string& name,
                        const planning::PairPlan& plan, process::NcclLog& nccl_log,
                        const std::function<void()>& between);

// Collective over the session: measures the links between the first ranks of neighbouring hosts, in
// a ring, over `backend`; takes at most 2 s where a link carries 1 Mb/s. Rank 0 writes links and
// findings into `report`. Does nothing on one host. `between` is called between two measurements.
void report_host_ring(process::RankContext& context, const std::string& backend,
                      process::RunReport& report, const std::function<void()>& between);

}  // namespace scalemark::communicating
