// A plan says what `scalemark comm` measures, before its first rank starts: points, the order of
// their runs and of pairs, the time that they take, and all of it as JSON. Plain data; made by
// make_collective_plan.h. Knows no launcher, no clock and no result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/collectives/collective.h"
#include "core/plan/collectives/link_rounds.h"
#include "core/settings/settings.h"

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
  int part = 0, parts = 1;   // several parts of a fleet exchange at the same time
  bool in_place = true, overlap_compute = false, congestion = false;
  std::optional<std::string> skipped;  // why it cannot run; it has no runs then
};

// Runs that use one group of ranks after each other, so that the group is made once.
struct CollectiveBatch {
  std::string name;     // unique in the plan
  std::string backend;  // all its points share it, and the members
  std::vector<int> members;
  int repetition = 0;               // from 0
  std::vector<std::size_t> points;  // index CollectivePlan::points, in the order in which they run
};

// --pairs: the links between nodes, or between the ranks of one node, and then an all-reduce over
// the parts of a fleet (drawn_parts()).
struct PairPlan {
  std::string backend;
  int passes = 11;  // over all pairs
  settings::PairBy by = settings::PairBy::kNode;
  std::uint64_t seed = 0;  // draws partners and parts
  LinkCount pass = {};     // counted by the launcher's places; ranks count anew when they have met
  int divisions = 0;       // counted likewise
};

// Each division is measured so often.
inline constexpr int kRunsOfParts = 3;

struct CollectivePlan {
  int world_size = 1;  // ranks that are launched, idle ones too
  int repetitions = 5;
  int retries = 1;  // a disturbed run is repeated so often
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

void assign_members(CollectivePlan& plan, const std::vector<int>& node_of_rank);

// "all-reduce-4KiB-fp32-w2-gloo", "barrier-w2-mpi-direct"; then what is not as usual: -out-of-place
// or -in-place, -overlap-compute, -congestion, -spread, -part-1-of-2. `size`: of the point, or what
// was asked for where it cannot be.
std::string point_name(const CollectivePoint& point, const std::string& size);

// Returns the all-reduces over the parts of each division (drawn_parts()), which exchange at the
// same time. A message has 256 MiB up to 64 ranks, then 4 MiB for each rank, at most 8 GiB; between
// CPU ranks 16 MiB. It is halved, six times at most, while the slowest link of the part's nodes
// needs more than 0.1 s for what an all-reduce sends over it. `slowest_link_of_node`: bytes per
// second.
std::vector<std::vector<CollectivePoint>> points_of_parts(
    const PairPlan& pairs, settings::DeviceKind device, const std::vector<int>& node_of_rank,
    const std::vector<double>& slowest_link_of_node);

// "group/rK": the id of a run.
std::string run_id(const CollectivePoint& point, int repetition);

// The time that `comm` takes is estimated roughly, by nominal rates of the backends, within a
// factor of 3 or so.

// A run calls its collective for so long, and so often, at least, warm-up and check included.
inline constexpr double kLeastCollectiveRun_s = 0.25;
inline constexpr double kFewestCalls = 40;
inline constexpr double kGroupSetup_s = 0.05;  // a batch makes its group of ranks once

// The time of one call.
double estimated_call_s(const CollectivePoint& point);

// Estimate the time of one run, and count the bytes of the buffers of the rank that needs most.
double estimated_run_s(const CollectivePoint& point);
std::int64_t buffer_bytes(const CollectivePoint& point);

// The time of all blocks, and of the start of the ranks.
double estimated_s(const CollectivePlan& plan);

// One object for programs that read --dry-run, which is never read back: points[], world_size,
// repetitions, seed, notes[], runs, estimated_s, fingerprint.
std::string to_json(const CollectivePlan& plan);

// 16 hex digits over what is measured and in which order: equal on every rank of one run.
std::string plan_digest(const CollectivePlan& plan);

}  // namespace scalemark::planning
