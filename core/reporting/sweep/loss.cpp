// Where a row of a scaling table lost its efficiency, from the step times of its pairs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/reporting/record/point_facts.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/decomposition.h"

namespace scalemark::reporting {
namespace {

constexpr double kSumTolerance = 1e-9;

statistics::Scaling scaling_kind(const SliceGroups& slice) {
  return slice.kind == "weak" ? statistics::Scaling::kWeak : statistics::Scaling::kStrong;
}

statistics::StepTimes step_times(const PointRecord& run) {
  return {.step_s = step_time_s(run).value(),
          .own_mean_s = run.own_mean_s.value(),
          .own_max_of_rank_means_s = run.own_max_of_rank_means_s.value(),
          .own_mean_of_step_max_s = run.own_mean_of_step_max_s,
          .data_wait_s = counted_data_wait_s(run).value()};
}

bool has_step_times(const PointRecord& run) {
  return step_time_s(run) && !run.ranks.empty() && run.own_mean_s.value_or(0) > 0 &&
         run.own_max_of_rank_means_s && counted_data_wait_s(run);
}

std::vector<double> own_of_ranks_s(const PointRecord& run) {
  std::vector<double> own_s;
  if (run.ranks.size() < 2) return {};  // one rank is never out of balance
  for (const RankRecord& rank : run.ranks) {
    if (!rank.own_mean_s) return {};
    own_s.push_back(*rank.own_mean_s);
  }
  return own_s;
}

// Absent where a report does not hold the times (imported ones, steps without phases).
std::optional<std::vector<statistics::StepTimesPair>> times_of(
    const std::vector<SweepPair>& pairs) {
  const bool same_places = std::ranges::all_of(pairs, [&](const SweepPair& pair) {
    return same_ranks(*pair.scaled, *pairs.front().scaled);
  });
  std::vector<statistics::StepTimesPair> times;
  for (const SweepPair& pair : pairs) {
    if (!has_step_times(*pair.baseline) || !has_step_times(*pair.scaled)) return std::nullopt;
    times.push_back({step_times(*pair.baseline), step_times(*pair.scaled)});
    if (same_places) times.back().scaled.own_of_ranks_s = own_of_ranks_s(*pair.scaled);
  }
  return times;
}

}  // namespace

void set_lost_efficiency(ScalingRow& row, const std::vector<SweepPair>& pairs,
                         const SliceGroups& slice, double ratio) {
  const auto times = times_of(pairs);
  if (!times) return;
  const auto scaling = scaling_kind(slice);
  const auto shares = statistics::shares_of_lost_efficiency(*times, scaling, ratio);
  const double efficiency = row.efficiency.value_or(0);
  const double missing = std::abs(shares.sum() - (1 - efficiency));
  if (!(missing <= kSumTolerance * std::max(1.0, efficiency))) return;  // NaN, too
  row.loss_of_efficiency = shares;
  row.loss_of_efficiency_ci95 =
      statistics::loss_intervals(statistics::shares_by_block(*times, scaling, ratio));
}

}  // namespace scalemark::reporting
