// "8 GPUs give 6.1x: why?" Gathers what a sweep's report has measured about one row of its scaling
// tables; nothing is estimated: what was not measured is said to be missing, with what measures it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "report/judge/judge.h"
#include "report/record/report.h"

namespace scalemark::reporting {

struct ExplainRequest {
  // The row is of this group; empty: a row that the reports of `comm` can explain, else the one of
  // the most ranks.
  std::string group;
  double target = 0.95;  // efficiency
};

// A part of the lost efficiency (record/point_facts.h).
struct LostShare {
  const char* name;
  const char* advice;
  double share = 0;  // in points of efficiency; negative: a gain
  Bounds ci95;
  // The part may take so much at most for the target while the others stay; absent: it does not
  // suffice alone.
  std::optional<double> at_most;
};

// One bucket size of a step, and its collective by itself.
struct BucketTime {
  double bytes = 0;
  int buckets = 0;               // so many have this size in a step
  std::optional<double> time_s;  // one bucket's; unset outside the sizes that `comm` measured
};

// The network by itself against the network in the step.
struct BucketTimes {
  bool whole_exchange = true;        // false: parameters travel as well, after the update
  std::vector<BucketTime> sizes;     // ascending
  std::optional<double> together_s;  // all buckets'; unset where one has none
  std::string measured_as;           // "all-reduce, fp32, over gloo on 2 ranks"
};

// Backward hides a share of a step's collectives: found in the bucket timelines of the row's runs.
struct Overlap {
  double hidden_share = 0;  // a share of the time that buckets are under way; mean over the runs
  double after_backward_s = 0;  // from the end of backward to that of the last bucket; likewise
  int buckets = 0, hidden = 0;  // hidden: done before backward ended, in the run with the fewest
  double unhidden_bytes = 0;    // buckets that are not hidden, in the run with the most
};

struct Explanation {
  const ScalingTable* table = nullptr;
  const ScalingRow* row = nullptr;
  double target = 0.95;
  double ideal_speedup = 1;
  int blocks = 0;
  std::vector<LostShare> shares;  // largest first; empty: not measured
  // Means over the row's runs, seconds per step.
  std::optional<double> step_s, network_s, peer_wait_s;
  std::optional<GroupCommunication> cost;     // filled by --communication-cost
  std::vector<double> bucket_bytes;           // every bucket in a step
  std::optional<Overlap> overlap;             // unset where a run has no bucket timeline
  std::optional<BucketTimes> buckets;         // unset where no report of `comm` fits
  std::vector<std::string> slow;              // proven slow ranks, devices, links; sentences
  std::vector<std::string> disturbed;         // others on the machine, slowed hardware, idle GPUs
  const EffectRecord* best_effect = nullptr;  // null: none helps, of those that were measured
  bool compares_options = false;              // at so many ranks, other than their number
  bool in_one_process = false;                // the ranks are replicas, without a network
  std::vector<std::string> missing;           // lists what was not measured, and what measures it
  std::string quoting;  // whether the report may be quoted (judge.h); empty: not judged
  NextCommand next;     // makes it surer
  // Why the row's numbers are withheld; empty: they are not. Nothing is then explained by them:
  // only `disturbed`, `quoting` and `next` are set.
  std::string withheld;
};

// `report`: as for_people() gave it. `collectives`: likewise, reports of `comm`, where some were
// given. Throws configuration() (78) when the report has no such row. Points into `report`.
Explanation explain(const Report& report, const std::vector<const Report*>& collectives,
                    const ExplainRequest& request);

// One screen: what was reached, where the rest went, what to do, and what that rests on.
std::string explanation_text(const Explanation& explanation, const Terminal& terminal);

// --- The parts of explain(). Private to this folder.

struct ChosenRow {
  const ScalingTable* table = nullptr;
  const ScalingRow* row = nullptr;
};
// Throws configuration() (78).
ChosenRow choose_row(const Report& report, const std::string& group,
                     const std::vector<const Report*>& collectives);

// Runs of a row that are ok and not withheld, in the report's order.
std::vector<const PointRecord*> runs_of(const Report& report, const ScalingRow& row);

// Gives nothing when a run has no bucket timeline, or there is no run.
std::optional<Overlap> overlap_of(const std::vector<const PointRecord*>& runs);

// This command measures the network by itself for the buckets of `run`; absent where their
// collective is not known.
std::optional<std::string> comm_command(const PointRecord& run);

// Gives nothing when no report has collectives like those of the buckets of `run`: the same
// backend, as many ranks as `run` has processes, and number format, through c10d, beside nothing.
std::optional<BucketTimes> bucket_times(const PointRecord& run,
                                        const std::vector<const Report*>& collectives);

// Ranks, devices and links that are proven slow, for the row.
std::vector<std::string> slow_parts(const Report& report, const ScalingRow& row,
                                    const std::vector<const Report*>& collectives);
// Lists what disturbed the row's runs or its baseline's, and GPUs that wait for their CPU.
std::vector<std::string> disturbances(const Report& report, const ChosenRow& chosen);

// The real effect with the largest proven gain at the row's number of ranks; null: none.
const EffectRecord* best_effect(const Report& report, const ScalingRow& row);

// Whether the report has effects at the row's number of ranks.
bool compares_options(const Report& report, const ScalingRow& row);

}  // namespace scalemark::reporting
