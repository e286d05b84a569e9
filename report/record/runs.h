// The runs of a report, whether of a sweep or of collectives: how they ended, which of them nothing
// disturbed and whether these decide, the runs of each group, and how the whole ends by them. One
// place answers it for verdicts and standings, sweeps and `comm`, comparisons and claims. Pure.
// Source: docs/METRICS.md, "Fit".
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

// How many runs ended in which way.
struct RunCounts {
  int ok = 0, oom = 0, failed = 0, skipped = 0;
  int lost() const { return oom + failed; }
};
RunCounts counts_of(const Report& report);

// A verdict on runs needs so many that nothing disturbed.
inline constexpr int kFitRuns = 3;

// Whether `fit` of `all` runs or pairs, which nothing disturbed, decide: so many, or all there are.
constexpr bool fit_decide(std::ptrdiff_t fit, std::ptrdiff_t all) {
  return fit == all || fit >= kFitRuns;
}

// A kind of finding that disturbs a run; null where nothing did.
using Disturbance = const FindingKind*;

// How the runs that a number rests on went.
struct Basis {
  // `brief`: runs that were only too brief to tell; `disturbed` are the others.
  std::ptrdiff_t runs = 0, disturbed = 0, brief = 0, by_clocks = 0;
  bool parts_are_ground = true;
  Disturbance most_severe = nullptr;

  void add(const Basis& more);
  void add(Disturbance found);

  std::ptrdiff_t fit() const { return runs - disturbed - brief; }
  // Whether enough of them were undisturbed, and of each of the groups that were added.
  bool is_ground() const { return parts_are_ground && fit_decide(runs - disturbed, runs); }
};

// Knows what disturbed the runs of a report: its findings tell, and collectives tell of themselves.
// A finding of a sweep that names no run stands for all of them.
class FitOfRuns {
 public:
  FitOfRuns() = default;  // nothing disturbed any
  explicit FitOfRuns(const Report& report);

  Disturbance disturbance_of(const std::string& run) const;  // the gravest, by the run's id
  bool is_fit(const std::string& run) const { return !disturbance_of(run); }
  // Whether any run is known to be disturbed: older reports of collectives do not say which were.
  bool knows_any() const { return !of_run_.empty(); }

  // The runs of a group that are ok, and those of the whole report.
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

// --- The runs of each group. Record: PointRecord or CollectiveRecord.

template <class Record>
using RunsOf = std::vector<const Record*>;

template <class Record>
struct GroupRuns {
  RunsOf<Record> all = {};          // empty only for a group that is not there
  RunsOf<Record> ok = {};           // they have a rate above 0, too
  RunsOf<Record> undisturbed = {};  // the part of `ok` that nothing disturbed

  const Record& first() const { return *all.front(); }
  // The runs that a verdict is taken from: undisturbed ones. None where these do not decide.
  RunsOf<Record> fit() const;
};

template <class Record>
using RunsByGroup = std::vector<GroupRuns<Record>>;

// In the order of a report, since the order in which points ran is random: workload, data type,
// ..., size.
template <class Record>
RunsByGroup<Record> runs_by_group(std::span<const Record> runs, const FitOfRuns& fit = {});

// Its runs; none of a group that is not there.
template <class Record>
const GroupRuns<Record>& runs_of(const RunsByGroup<Record>& groups, const std::string& group);

// Block and session of a run: runs are compared where both are equal.
std::pair<int, int> block_of(const PointRecord& run);
std::pair<int, int> block_of(const CollectiveRecord& run);

// ln of samples, or of calls, per second.
double log_rate(const PointRecord& run);
double log_rate(const CollectiveRecord& run);

// The first run of a block; null where none is.
template <class Record>
const Record* run_in(const RunsOf<Record>& runs, const std::pair<int, int>& block);

template <class Record>
struct RunPair {
  const Record *baseline, *scaled;
};

// Each run of `scaled` with the run of `baseline` from its block and session, where there is one.
template <class Record>
std::vector<RunPair<Record>> paired(const RunsOf<Record>& baseline, const RunsOf<Record>& scaled);

// --- The end of the program: which findings make it end with an error.

// --fail-on: codes of findings, parts, warning, error or none, with commas between.
class FailOn {
 public:
  // Throws refusal() (78) for a word that is none of these.
  explicit FailOn(std::string_view text);
  bool names(const Finding& finding) const;

 private:
  std::vector<std::string> words_;
};

// How a run ends that came to its end.
struct RunEnd {
  ExitCode exit_code = ExitCode::kPass;
  std::string why;  // one sentence; empty when there is nothing to say
};

// kOutOfMemory where nothing fitted into memory, kUnsure where runs failed or were out of memory;
// else kPass, with nothing to say.
RunEnd end_of_runs(const RunCounts& runs);

// `end`, or, where its code is kPass or kUnsure and `fail_on` names a finding of the report, kFail
// and that finding.
RunEnd judged_end(RunEnd end, const Report& report, const FailOn& fail_on);

}  // namespace scalemark::reporting
