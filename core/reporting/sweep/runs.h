// The points of a sweep by group, and pairs of runs from one block and session. Private to the
// files of this folder.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/record/effect_records.h"
#include "core/reporting/record/records.h"
#include "core/reporting/sweep/summary.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/interval.h"

namespace scalemark::reporting {

using Runs = std::vector<const PointRecord*>;

class RunsByGroup {
 public:
  // `disturbed`: ids of runs that count towards no verdict.
  explicit RunsByGroup(std::span<const PointRecord> points, std::set<std::string> disturbed = {});

  const std::vector<std::string>& groups() const { return order_; }
  const Runs& all(const std::string& group) const;  // empty for a group that is not there
  Runs ok(const std::string& group) const;          // status ok and a rate above 0
  bool is_fit(const PointRecord& run) const { return !disturbed_.contains(run.id); }
  // Picks out of ok() the runs that a verdict is taken from: nothing disturbed them. None where
  // they are fewer than kFitRuns and others were disturbed.
  Runs fit(const std::string& group) const;

 private:
  std::vector<std::string> order_;
  std::map<std::string, Runs> runs_;
  std::set<std::string> disturbed_;
};

// The runs of each session, sessions ascending.
std::vector<Runs> by_session(const Runs& runs);

struct RunPair {
  const PointRecord* baseline;
  const PointRecord* scaled;
};

struct Pairs {
  std::vector<RunPair> pairs;
  std::vector<std::string> elsewhere;  // ids whose baseline ran in another session
};

// Each run of `scaled` with the run of `baseline` from its block and session.
Pairs paired(const Runs& baseline, const Runs& scaled);

// The difference of the loss after equally many samples, scaled less baseline, in the mean of
// `pairs`, and the baseline's step at which it was taken: the last that all runs have. Absent where
// there is none, and between different data.
struct LossDifference {
  double mean = 0;
  std::int64_t step = 0;
};
std::optional<LossDifference> loss_difference(const std::vector<RunPair>& pairs);

// samples_per_sec of runs that are ok: one list per session.
std::vector<std::vector<double>> rates_by_session(const Runs& runs);

// exp of the mean ln of values above 0.
double geometric_mean(std::span<const double> values);

// T of a mean over `runs`, in s: the samples of one step / samples_per_sec. Absent where the runs'
// steps differ in size.
std::optional<double> step_time_of(const Runs& runs, double samples_per_sec);

// statistics::paired_efficiency() takes these.
std::vector<statistics::ThroughputPair> rates_of(const std::vector<RunPair>& pairs);

// Whether both ran on the same devices, rank by rank.
bool same_ranks(const PointRecord& a, const PointRecord& b);

// The order of runs in time shows this.
struct CourseOfRuns {
  std::map<const PointRecord*, double> places;  // of each run that is ok: 0, 1, ... in time order
  std::optional<Drift> drift;
  bool drifted = false;  // the drift is a finding
};
CourseOfRuns course_of(const RunsByGroup& runs);

// The parts of summarise_sweep().
std::vector<GroupRecord> groups_of(const RunsByGroup& runs, const CourseOfRuns& course,
                                   const SummaryOptions& options);
// Absent where variance_split.h's are. `good`: runs that are ok.
std::optional<VarianceRecord> variance_of(const Runs& good);
// Absent unless every run has been measured with --communication-cost.
std::optional<GroupCommunication> communication_of(const Runs& good);
std::vector<ScalingTable> scaling_of(const RunsByGroup& runs,
                                     const std::vector<SliceGroups>& slices,
                                     const std::vector<Straggler>& stragglers,
                                     const std::vector<GroupRecord>& verdicts);
// Sets loss_of_efficiency and its intervals; `row` has its efficiency, `ratio` is that of the world
// sizes. Leaves both absent where the runs hold no step times, and where the steps were not all
// full batches, so that shares of time would not add up to lost throughput.
void set_lost_efficiency(ScalingRow& row, const std::vector<RunPair>& pairs,
                         const SliceGroups& slice, double ratio);
std::vector<Straggler> stragglers_of(const RunsByGroup& runs, double device_spread);
std::vector<DataGap> data_gaps_of(const RunsByGroup& runs);
std::vector<EffectRecord> effects_of(const RunsByGroup& runs,
                                     const std::vector<ComparedGroups>& comparisons);
std::vector<TuningRecord> tuning_of(const RunsByGroup& runs, const SummaryOptions& options);
std::vector<CommunicationLimit> communication_limits_of(
    const RunsByGroup& runs, const std::vector<ComparedGroups>& comparisons);
std::optional<FastestPoint> fastest_point(const RunsByGroup& runs);
std::vector<Finding> findings_of_levels(const RunsByGroup& runs);
std::vector<Finding> findings_of_ranks(const Report& report);
std::vector<Finding> sweep_findings(const RunsByGroup& runs, const Report& report, bool drifted);

}  // namespace scalemark::reporting
