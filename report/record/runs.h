// The runs of a report, of a sweep or of collectives: how they ended, which of them were
// undisturbed and whether these decide, the runs of each group, and the exit code. Verdicts and
// standings, sweeps and `comm`, comparisons and claims all ask here. Pure. Source: METRICS.md,
// "Fit".
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "report/record/finding_kinds.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// Counts runs by how they ended.
struct RunCounts {
  int ok = 0, oom = 0, failed = 0, skipped = 0;
  int lost() const { return oom + failed; }
};
RunCounts counts_of(const Report& report);

// The fewest and the most good runs that a point has, without points of which none went well; of a
// report of collectives those of its groups. 0: nothing was measured.
struct RunsOfPoints {
  int fewest = 0, most = 0;
};
RunsOfPoints runs_of_points(const Report& report);

// A verdict on runs needs so many undisturbed ones.
inline constexpr int kFitRuns = 3;

// Whether `fit` undisturbed runs or pairs, of `all`, are enough to decide: kFitRuns, or all there
// are.
constexpr bool fit_decide(std::ptrdiff_t fit, std::ptrdiff_t all) {
  return fit == all || fit >= kFitRuns;
}

// The kind of finding that disturbs a run; null: nothing did.
using Disturbance = const FindingKind*;

// The state of the runs that a number rests on.
struct Basis {
  // `brief` counts runs that were only too brief to detect a disturbance, `disturbed` the other
  // disturbed ones.
  std::ptrdiff_t runs = 0, disturbed = 0, brief = 0, by_clocks = 0;
  bool parts_are_ground = true;
  Disturbance most_severe = nullptr;

  void add(const Basis& more);
  void add(Disturbance found);

  std::ptrdiff_t fit() const { return runs - disturbed - brief; }
  // Whether enough of the runs were undisturbed, in total and in each group that was added.
  bool is_ground() const { return parts_are_ground && fit_decide(runs - disturbed, runs); }
};

// Knows what disturbed the runs of a report: findings name runs, and a record of a collective names
// its own disturbance. A finding of a sweep that names no run stands for all of them.
class FitOfRuns {
 public:
  FitOfRuns() = default;  // no run is disturbed
  explicit FitOfRuns(const Report& report);

  Disturbance disturbance_of(const std::string& run) const;  // the gravest; `run` is an id
  bool is_fit(const std::string& run) const { return !disturbance_of(run); }
  // Whether any run is known to be disturbed. Older reports of collectives do not record which
  // were.
  bool knows_any() const { return !of_run_.empty(); }

  // basis_of() counts the ok runs of a group, of_all() those of the whole report.
  Basis basis_of(const std::string& group) const;
  const Basis& of_all() const { return all_; }
  const std::map<std::string, Basis>& groups() const { return of_group_; }

 private:
  void note(const std::string& run, Disturbance found);
  void add(const auto& run);

  std::map<std::string, Disturbance> of_run_;
  std::map<std::string, Basis> of_group_;
  Basis all_;
};

// --- The runs of each group. Record is PointRecord or CollectiveRecord.

template <class Record>
using RunsOf = std::vector<const Record*>;

template <class Record>
struct GroupRuns {
  RunsOf<Record> all = {};          // empty only for an unknown group
  RunsOf<Record> ok = {};           // their rates are above 0, too
  RunsOf<Record> undisturbed = {};  // the part of `ok` that nothing disturbed

  const Record& first() const { return *all.front(); }
  // Returns the runs that a verdict is taken from, which are the undisturbed ones. Empty where
  // these do not decide.
  RunsOf<Record> fit() const;
};

template <class Record>
using RunsByGroup = std::vector<GroupRuns<Record>>;

// Groups are in the order of a report (workload, data type, ..., size), since points run in random
// order.
template <class Record>
RunsByGroup<Record> runs_by_group(std::span<const Record> runs, const FitOfRuns& fit = {});

// Returns the runs of a group; empty ones for an unknown group.
template <class Record>
const GroupRuns<Record>& runs_of(const RunsByGroup<Record>& groups, const std::string& group);

// Returns block and session of a run. Runs are compared where both are equal.
std::pair<int, int> block_of(const PointRecord& run);
std::pair<int, int> block_of(const CollectiveRecord& run);

// Returns ln of samples, or of calls, per second.
double log_rate(const PointRecord& run);
double log_rate(const CollectiveRecord& run);

// Returns the first run of a block, or null.
template <class Record>
const Record* run_in(const RunsOf<Record>& runs, const std::pair<int, int>& block);

template <class Record>
struct RunPair {
  const Record *baseline, *scaled;
};

// Pairs each run of `scaled` with the run of `baseline` from its block and session, where there is
// one.
template <class Record>
std::vector<RunPair<Record>> paired(const RunsOf<Record>& baseline, const RunsOf<Record>& scaled);

// --- The exit code: which findings make the program end with an error.

// The value of --fail-on: codes of findings, parts, warning, error or none, with commas between.
class FailOn {
 public:
  // Throws refusal() (78) for any other word.
  explicit FailOn(std::string_view text);
  bool names(const Finding& finding) const;

 private:
  std::vector<std::string> words_;
};

// The end of a run that was not interrupted.
struct RunEnd {
  ExitCode exit_code = ExitCode::kPass;
  std::string why;  // one sentence; empty when there is nothing to say
};

// Returns kOutOfMemory where nothing fitted into memory, kUnsure where runs failed or were out of
// memory; else kPass, with nothing to say.
RunEnd end_of_runs(const RunCounts& runs);

// Returns `end`. But if its code is kPass or kUnsure, and `fail_on` names a finding of the report,
// returns kFail and that finding.
RunEnd judged_end(RunEnd end, const Report& report, const FailOn& fail_on);

}  // namespace scalemark::reporting
