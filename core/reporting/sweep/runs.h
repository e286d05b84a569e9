// The points of a sweep by group, and pairs of runs from one block and session. Private to the
// files of this folder.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/record/records.h"
#include "core/reporting/sweep/summary.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/interval.h"

namespace scalemark::reporting {

using Runs = std::vector<const PointRecord*>;

class RunsByGroup {
 public:
  explicit RunsByGroup(std::span<const PointRecord> points);

  const std::vector<std::string>& groups() const { return order_; }
  const Runs& all(const std::string& group) const;  // empty for a group that is not there
  Runs ok(const std::string& group) const;          // status ok and a rate above 0

 private:
  std::vector<std::string> order_;
  std::map<std::string, Runs> runs_;
};

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

// What statistics::paired_efficiency() takes.
std::vector<statistics::ThroughputPair> rates_of(const std::vector<RunPair>& pairs);

// Whether both ran on the same devices, rank by rank.
bool same_ranks(const PointRecord& a, const PointRecord& b);

// Runs that differ by orders of magnitude have intervals that no number can hold: there is none
// then.
bool is_finite(const std::optional<statistics::Interval>& interval);

// "a, b, c, d, e and 3 more".
std::string listed(const std::vector<std::string>& names);

// What the order of runs in time shows.
struct CourseOfRuns {
  std::map<const PointRecord*, double> places;  // of each run that is ok: 0, 1, ... in time order
  std::optional<Drift> drift;
  bool drifted = false;  // the drift is a finding
};
CourseOfRuns course_of(const RunsByGroup& runs);

// The parts of summarise_sweep().
std::vector<GroupRecord> groups_of(const RunsByGroup& runs, const CourseOfRuns& course,
                                   const SummaryOptions& options);
std::vector<ScalingTable> scaling_of(const RunsByGroup& runs,
                                     const std::vector<SliceGroups>& slices,
                                     const std::vector<Straggler>& stragglers);
// Sets loss_of_efficiency and its intervals; `row` has its efficiency, `ratio` is that of the world
// sizes. Leaves both absent where the runs hold no step times, and where the steps were not all
// full batches, so that shares of time would not add up to lost throughput.
void set_lost_efficiency(ScalingRow& row, const std::vector<RunPair>& pairs,
                         const SliceGroups& slice, double ratio);
std::vector<Straggler> stragglers_of(const RunsByGroup& runs, double device_spread);
std::vector<DataGap> data_gaps_of(const RunsByGroup& runs);
std::vector<Finding> findings_of_ranks(const SweepSummary& summary);
std::vector<Finding> sweep_findings(const RunsByGroup& runs, const SweepSummary& summary,
                                    bool drifted);

}  // namespace scalemark::reporting
