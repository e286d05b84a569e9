// A plan says what `scalemark comm` measures, before its first rank starts: points, and the order
// of their runs. Plain data; made by make_collective_plan.h. Knows no launcher, no clock and no
// result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/collectives/collective.h"
#include "core/planning/collectives/round_robin.h"
#include "core/settings/closed_words.h"

namespace scalemark::planning {

struct CollectivePoint {
  std::string group;  // unique: "all-reduce-4KiB-fp32-w2-gloo"
  collectives::Collective collective = collectives::Collective::kAllReduce;
  std::string backend;  // a name of core/catalogue/backend_list.inc
  collectives::Via via = collectives::Via::kC10d;
  collectives::DataType dtype = collectives::DataType::kFp32;
  // Elements are counted as nccl-tests does: all-gather, reduce-scatter, gather and all-to-all
  // count the whole, which the ranks share evenly; 0 for a barrier. A multiple of what each rank
  // has.
  std::int64_t elements = 0;
  std::int64_t bytes() const { return elements * collectives::bytes_of(dtype); }
  int world_size = 1;
  settings::Placement placement = settings::Placement::kFill;
  std::vector<int> members;  // ranks of the world, ascending; by assign_members()
  bool in_place = true, overlap_compute = false, congestion = false;
  std::optional<std::string> skipped;  // why it cannot run; it has no runs then
};

// Runs that use one group of ranks after each other, so that the group is made once.
struct CollectiveBatch {
  std::string name;     // unique in the plan
  std::string backend;  // of all its points, as the members are
  std::vector<int> members;
  int repetition = 0;               // from 0
  std::vector<std::size_t> points;  // of CollectivePlan::points, in the order in which they run
};

// --pairs: the links between all nodes, or between the ranks of one node.
struct PairPlan {
  std::string backend;
  int passes = 11;  // over all pairs
  settings::PairBy by = settings::PairBy::kNode;
  LinkCount pass = {};  // by the launcher's places; ranks count their nodes when they have met
};

struct CollectivePlan {
  int world_size = 1;  // ranks that are launched, idle ones too
  int repetitions = 5;
  int retries = 1;  // of a run that something disturbed
  std::uint64_t seed = 0;
  settings::DeviceKind device = settings::DeviceKind::kCpu;
  std::vector<CollectivePoint> points;
  std::optional<PairPlan> pairs;   // instead of points
  bool health = false;             // counters of errors are read before and after (--checks)
  std::vector<std::string> notes;  // for a person
};

// Block `k`, from 0: every point that can run, once. Batches are in a random order, and the points
// within each; both depend on seed + k only and are the same on every machine.
std::vector<CollectiveBatch> batches_of_block(const CollectivePlan& plan, int k);

// Recomputes every point's members, once the ranks have met and their nodes are known.
void assign_members(CollectivePlan& plan, const std::vector<int>& node_of_rank);

// "group/rK": the id of a run.
std::string run_id(const CollectivePoint& point, int repetition);

}  // namespace scalemark::planning
