// A sweep before its first rank starts: points and their names, the slices that they form, and the
// order of their runs. Plain data; made by make_plan.h. Knows no launcher, no clock and no result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/words.h"
#include "core/settings/layers.h"
#include "core/settings/settings.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::planning {

// kBaseline: 1 rank, strategy none. kSolo: several ranks, strategy none. The role is the same for
// points that were asked for and points that the plan added.
enum class Role { kMeasured, kBaseline, kSolo };
constexpr auto words_of(Role) {
  return std::to_array<Word<Role>>(
      {{Role::kMeasured, "measured"}, {Role::kBaseline, "baseline"}, {Role::kSolo, "solo"}});
}

enum class SliceKind { kWeak, kStrongByBatch, kStrongByAccumulation };
constexpr auto words_of(SliceKind) {
  return std::to_array<Word<SliceKind>>(
      {{SliceKind::kWeak, "weak"},
       {SliceKind::kStrongByBatch, "strong-by-batch"},
       {SliceKind::kStrongByAccumulation, "strong-by-accumulation"}});
}

// How long one run lasts. A given number of steps decides alone. Otherwise a run reaches both the
// least steps and the least seconds, unless that takes more than `most_...`: then it has fewer
// steps (presets only, and never fewer than kFewestSteps). A warm-up continues while step times
// still change, up to latest_warmup_s().
struct RunLength {
  std::optional<std::int64_t> warmup_iters, iters;
  std::int64_t least_warmup_steps = 20, least_steps = 100;
  double least_warmup_s = 2, least_window_s = 2;
  std::optional<double> most_warmup_s, most_window_s;
  std::optional<double> max_warmup_s;  // --max-warmup; absent: 5 x least_warmup_s
};
inline constexpr std::int64_t kFewestSteps = 5;

struct PlannedPoint {
  std::string group;  // short, unique, says what it is: "resnet50-b32-fp32-w4-ddp"
  Role role = Role::kMeasured;
  bool asked = true;  // false: added by the plan

  // Resolved for this point. Where a point is skipped for its sizes, those that do not exist are 0
  // and must not be shown; before a batch search has answered, they are those of batch size 1.
  settings::Settings settings;
  int world_size = 1;        // training ranks
  int processes = 1;         // settings::process_count()
  std::vector<int> members;  // ranks of the world, ascending; members_of() has those of a run
  // Other axes of the sweep that have an effect here: option, value; in the order of the axes.
  std::vector<std::pair<std::string, std::string>> varying;
  // An index into Plan::searches: the point's sizes come from with_batch_size().
  std::optional<std::size_t> batch_search;
  std::optional<std::string> skipped;  // why it cannot run; it has no runs then

  RunLength length;
  double estimated_s = 0;  // one repetition takes so long, everything included; rough (estimates.h)
  std::uint64_t memory_estimate_bytes = 0;  // one rank needs so much; 0 while the batch is unknown
};

// --batch-size auto: the batch of all points in `users` is the largest that fits at `point`, the
// one that needs most. Searched before the first block.
struct BatchSearch {
  std::string id;
  std::size_t point = 0;
  std::vector<std::size_t> users;  // `point` among them
};

// One scaling table is about one slice: everything is fixed but the world size.
struct Slice {
  SliceKind kind = SliceKind::kWeak;
  std::map<std::string, std::string> fixed;  // option -> value, as in `fixed` of the report
  std::optional<std::size_t> baseline;       // unset: it cannot be (its point is skipped, too)
  std::optional<std::size_t> solo;           // unset: only one rank was asked for
  std::vector<std::size_t> rows;             // points by ascending world size, skipped ones too
};

struct ComparedValue {
  std::string value;  // the text that was typed
  std::size_t point = 0;
};

// Points that differ in the value of one axis only (axes.h). The first value is the first
// that was typed.
struct Comparison {
  std::string axis;
  std::map<std::string, std::string> fixed;  // option -> value, world_size among them
  std::vector<ComparedValue> values;         // two or more
};

struct PlannedRun {
  std::string id;  // group + "/r" + repetition: fixed by the plan, whatever the order
  std::size_t point = 0;
  int repetition = 0, block = 0;  // from 0; a block holds each point that can run once
  int order = 0;                  // place within the block, from 0
};
template <class A>
constexpr void fields(A& a, typename A::template Field<PlannedRun>& r) {
  a.values(r.id, r.point, r.repetition, r.block, r.order);
}

// When the sweep ends. It runs whole blocks. After each from `least_blocks` on it ends when every
// point has reached `until_ci` (absent: at once; `fill_time`: only when the time is over). No block
// begins that would end after `max_time_s`. With `deadline_s` runs are cut short so that all
// planned ones end before it, and none begins that would not.
struct StopRule {
  int least_blocks = 5;
  std::optional<double> until_ci;
  bool fill_time = false;            // --burn-in
  std::optional<double> max_time_s;  // limits the whole sweep
  std::optional<double> deadline_s;  // --quick, --thorough; excludes the work after the last run
};

// One set of fresh ranks runs this part of a plan whose points have several environments.
struct Launch {
  settings::Variables environment;
  bool same_session = false;  // the launch before it ran other points of the same block
};

struct Plan {
  settings::SweepSettings sweep;
  int world_size = 1;  // ranks that are launched, idle ones too
  std::uint64_t seed = 0;
  StopRule stop;
  std::vector<PlannedPoint> points;
  std::vector<Slice> slices;
  std::vector<Comparison> comparisons;
  std::vector<BatchSearch> searches;
  std::vector<PlannedRun> runs;    // blocks 0 .. least_blocks - 1, in order
  std::vector<std::string> notes;  // for a person
  double estimated_s = 0;          // `runs` take so long
  double fingerprint_s = 0;   // seconds of each measurement of the fingerprint; 0: none is made
  double device_check_s = 0;  // seconds of each measurement of --checks devices; 0: none is made
  double replay_s = 0;        // seconds of each product of --checks replay; 0: nothing is replayed
  std::optional<std::uint64_t> memory_available_bytes;  // for one rank, when known
  std::optional<Launch> launch;                         // set in a rank; unset: all points are run
};

// Block `k` of the plan, k from 0 without end: each point that can run once, in an order that
// depends on seed + k only and is the same on every machine; points of one environment (--env)
// follow each other. Plan::runs holds the first ones.
std::vector<PlannedRun> block(const Plan& plan, int k);

// Ranks of the world that a point of so many processes uses, ascending. `node_of_rank` holds each
// rank's node, nodes numbered from 0. fill: whole nodes first, in order; spread: one rank of each
// node in turn. bug() when there are fewer ranks.
using settings::Placement;
std::vector<int> members(int processes, const std::vector<int>& node_of_rank, Placement placement);

// How many of these ranks stand on one node, at most.
int most_on_a_node(const std::vector<int>& ranks, const std::vector<int>& node_of_rank);

// Ranks of the world that take part in `run`: its point's; where that is one rank alone, a rank
// that is drawn anew for each block. Otherwise the difference of one device from the others would
// be in every efficiency and in no interval. All points of one rank share the rank of their block,
// which follows from the plan's seed and the repetition alone: a resumed run has the member that it
// would have had. Each rank has its turn before one comes again.
std::vector<int> members_of(const Plan& plan, const PlannedRun& run);

// Recomputes every point's members, once the ranks have met and their nodes are known.
void assign_members(Plan& plan, const std::vector<int>& node_of_rank);

// The settings of a point whose batch was searched, with sizes and learning rate recomputed.
settings::Settings with_batch_size(settings::Settings settings, std::int64_t batch_size,
                                   int world_size);

// "mlp-b8-a2-fp32-w2-ddp": a point's name, the same in a sweep and in train, so that `compare`
// matches them.
std::string point_name(const settings::Settings& settings, int world_size);

// Settings that a resume must find unchanged: every one that changes what is measured, with its
// value or its values over all points ("32,64"). More repetitions, another output folder and other
// launch options are no change.
std::map<std::string, std::string> resume_settings(const Plan& plan);
bool must_stay_on_resume(const std::string& setting);
// Whether the setting's value is the path of something that a run reads.
bool is_path(const std::string& setting);

// 16 hex digits over resume_settings(), the groups and the run lengths: equal on every rank and in
// every session of one sweep.
std::string settings_digest(const Plan& plan);

// Names of points are short, readable, and the same for the same point of the same sweep.

// point_name(), then what varies beyond it: "resnet50-b32-fp32-w4-ddp-overlap-off-i224". Not yet
// unique: two folders may have one name.
std::string group_name(const PlannedPoint& point);

// The form of an option's value in a name: the last part of a path, and of any text the characters
// that fit file names and shells.
std::string plain_value(std::string value);

// One option that varies adds this to the name: "-data-photos".
std::string name_part(const std::string& option, const std::string& value);

// The options in `varying` that `raw` has and point_name() leaves out, with their values.
std::vector<std::pair<std::string, std::string>> varying_options(
    const settings::RawSettings& raw, const std::vector<std::string>& varying);

}  // namespace scalemark::planning
