// Sums up the runs of a sweep's points over sessions and pairs. Private to the files of this
// folder.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/statistics/efficiency.h"
#include "core/statistics/summary.h"
#include "report/judge/sweep/summary.h"
#include "report/record/comparison.h"
#include "report/record/runs.h"

namespace scalemark::reporting {

using Runs = RunsOf<PointRecord>;
using SweepRuns = RunsByGroup<PointRecord>;
using SweepPair = RunPair<PointRecord>;

// Splits the runs by session, in ascending order.
std::vector<Runs> by_session(const Runs& runs);

// Returns samples_per_sec of runs that are ok, one list per session.
std::vector<std::vector<double>> rates_by_session(const Runs& runs);

// Returns T of a mean over `runs`, in s: the samples of one step / samples_per_sec. Returns nothing
// where the runs' steps differ in size.
std::optional<double> step_time_of(const Runs& runs, double samples_per_sec);

// Returns the rates as statistics::paired_efficiency() takes them.
std::vector<statistics::ThroughputPair> rates_of(const std::vector<SweepPair>& pairs);

// Whether both ran on the same devices, rank by rank.
bool same_ranks(const PointRecord& a, const PointRecord& b);

// Facts that the order of the runs in time shows.
struct CourseOfRuns {
  std::map<const PointRecord*, double> places;  // 0, 1, ... in time order, for runs that are ok
  std::optional<Drift> drift;
  bool drifted = false;  // the drift is a finding
};
CourseOfRuns course_of(const SweepRuns& runs);

// The parts of summarise_sweep().
std::vector<GroupRecord> groups_of(const SweepRuns& runs, const CourseOfRuns& course,
                                   const SummaryOptions& options);
// Gives nothing where variance_split.h does not. `good` holds the runs that are ok.
std::optional<VarianceRecord> variance_of(const Runs& good);
std::vector<ScalingTable> scaling_of(const SweepRuns& runs, const std::vector<SliceGroups>& slices,
                                     const std::vector<Straggler>& stragglers,
                                     const std::vector<GroupRecord>& verdicts);
std::vector<Straggler> stragglers_of(const SweepRuns& runs, double device_spread);
std::vector<DataGap> data_gaps_of(const SweepRuns& runs);
std::vector<EffectRecord> effects_of(const SweepRuns& runs,
                                     const std::vector<ComparedGroups>& comparisons);
std::vector<TuningRecord> tuning_of(const SweepRuns& runs, const SummaryOptions& options);
std::vector<CommunicationLimit> communication_limits_of(
    const SweepRuns& runs, const std::vector<ComparedGroups>& comparisons);
std::optional<FastestPoint> fastest_point(const SweepRuns& runs);
std::vector<Finding> findings_of_ranks(const Report& report);
std::vector<Finding> sweep_findings(const SweepRuns& runs, const Report& report, bool drifted);

}  // namespace scalemark::reporting
