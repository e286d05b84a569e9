// Answers "8 GPUs give 6.1x: why?" from what a sweep's report has measured about one row of its
// scaling tables, and "why is this run slow?" from one run's causes (judge/point/causes.h). Nothing
// is estimated: for what is missing, the text names what would measure it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "report/judge/judge.h"
#include "report/record/report.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {

struct ExplainRequest {
  // The row to explain. Empty: a row that the reports of `comm` can explain, else the one with the
  // most ranks.
  std::string group;
  double target = 0.95;  // the efficiency to reach
};

// A part of the lost efficiency (record/point_facts.h).
struct LostShare {
  const char* name;
  const char* advice;
  double share = 0;  // points of efficiency; negative: a gain
  Bounds ci95;
  // How large the part may be for the target to be reached while the others stay. Unset: shrinking
  // this part is not enough.
  std::optional<double> at_most;
};

// One bucket size of a step, and the time of its collective by itself.
struct BucketTime {
  double bytes = 0;
  int buckets = 0;               // how many of this size a step has
  std::optional<double> time_s;  // one bucket's; unset outside the sizes that `comm` measured
};

// Compares the network by itself with the network in the step.
struct BucketTimes {
  bool whole_exchange = true;        // false: after the update, parameters are exchanged, too
  std::vector<BucketTime> sizes;     // ascending
  std::optional<double> together_s;  // sum over buckets; unset where one has no time
  std::string measured_as;           // "all-reduce, fp32, over gloo on 2 ranks"
};

// How much of a step's collectives backward hides, from the bucket timelines of the row's runs.
struct Overlap {
  double hidden_share = 0;      // share of the time of buckets; mean over the runs
  double after_backward_s = 0;  // end of backward to end of the last bucket; mean over the runs
  int buckets = 0, hidden = 0;  // hidden: done before backward ended, in the run with the fewest
  double unhidden_bytes = 0;    // bytes in buckets that are not hidden, in the run with the most
};

// Sentences on ranks, devices and links. Of two that differ, neither can be called slow.
struct SlowParts {
  std::vector<std::string> proven, of_two;
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
  std::optional<GroupCommunication> cost;  // filled by --communication-cost
  std::vector<double> bucket_bytes;        // one per bucket of a step
  std::optional<Overlap> overlap;          // unset where a run has no bucket timeline
  std::optional<BucketTimes> buckets;      // unset where no report of `comm` fits
  SlowParts slow;
  std::vector<std::string> disturbed;         // other load, slowed hardware, idle GPUs
  const EffectRecord* best_effect = nullptr;  // null: no measured one helps
  bool compares_options = false;     // the report has effects of options at this number of ranks
  bool in_one_process = false;       // the ranks are replicas, without a network
  std::vector<std::string> missing;  // lists what was not measured, and what measures it
  std::string quoting;  // whether the report may be quoted (judge.h); empty: not judged
  NextCommand next;     // the command that makes it surer
  // Why the row's numbers are withheld; empty: they are not. If they are, only `disturbed`,
  // `quoting` and `next` are set.
  std::string withheld;
};

// `report` and `collectives`, which are reports of `comm` and may be none, are as for_people()
// returns them. Throws configuration() (78) when the report has no such row. The result points into
// `report`.
Explanation explain(const Report& report, const std::vector<const Report*>& collectives,
                    const ExplainRequest& request);

// Writes one screen: what was reached, where the rest went, what to do, and what that rests on.
std::string explanation_text(const Explanation& explanation, const Terminal& terminal);

// Writes the same in two sentences, for an answer about something else: what was reached against
// what, and where the rest went.
std::vector<std::string> explanation_in_brief(const Explanation& explanation);

// --- One run.

// Returns the run with that id; for an empty one a run with the most ranks, the first of them.
// Throws configuration() (78) where there is none whose numbers may be shown.
const PointRecord& choose_run(const Report& report, const std::string& id);

// Shows the parts of a step of `run`, which is in `report`, and its causes with what to try and
// what that gives. Empty for a run without causes.
std::vector<Section> step_sections(const Report& report, const PointRecord& run);

// Writes both on one screen. The arguments are those of explain().
std::string run_explanation_text(const Report& report, const PointRecord& run,
                                 const std::vector<const Report*>& collectives,
                                 const Terminal& terminal);

// Whether the report has a row of a scaling table that explain() can explain.
bool has_row_to_explain(const Report& report);

// --- The parts of explain(). Private to this folder.

struct ChosenRow {
  const ScalingTable* table = nullptr;
  const ScalingRow* row = nullptr;
};
// Throws configuration() (78).
ChosenRow choose_row(const Report& report, const std::string& group,
                     const std::vector<const Report*>& collectives);

// Returns the runs of a row that are ok and not withheld, in the report's order.
std::vector<const PointRecord*> runs_of(const Report& report, const ScalingRow& row);

// Returns nothing when a run has no bucket timeline, or there is no run.
std::optional<Overlap> overlap_of(const std::vector<const PointRecord*>& runs);

// Returns the command that measures the network by itself for the buckets of `run`, or nothing
// where their collective is not known.
std::optional<std::string> comm_command(const PointRecord& run);

// Returns nothing when no report has collectives like those of the buckets of `run`: with the same
// backend, as many ranks as `run` has processes, and the same number format, through c10d and with
// nothing beside.
std::optional<BucketTimes> bucket_times(const PointRecord& run,
                                        const std::vector<const Report*>& collectives);

SlowParts slow_parts(const Report& report, const ScalingRow& row,
                     const std::vector<const Report*>& collectives);
// Lists what disturbed the row's runs or its baseline's, and GPUs that wait for their CPU.
std::vector<std::string> disturbances(const Report& report, const ChosenRow& chosen);

// Returns the real effect with the largest proven gain at the row's number of ranks, or null.
const EffectRecord* best_effect(const Report& report, const ScalingRow& row);

// Whether the report has effects at the row's number of ranks.
bool compares_options(const Report& report, const ScalingRow& row);

}  // namespace scalemark::reporting
