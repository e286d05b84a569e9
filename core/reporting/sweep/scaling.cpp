#include <algorithm>
#include <cmath>
#include <set>

#include "core/catalogue/strategy.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/decomposition.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/runs.h"

namespace scalemark::reporting {
namespace {

constexpr double kSumTolerance = 1e-9;

statistics::Scaling scaling_kind(const SliceGroups& slice) {
  return slice.kind == "weak" ? statistics::Scaling::kWeak : statistics::Scaling::kStrong;
}

statistics::StepTimes step_times(const PointRecord& run) {
  return {.step_s = run.wall_s / static_cast<double>(run.iterations),
          .own_mean_s = run.own_mean_s.value(),
          .own_max_of_rank_means_s = run.own_max_of_rank_means_s.value(),
          .own_mean_of_step_max_s = run.own_mean_of_step_max_s,
          .data_wait_s = counted_data_wait_s(run).value()};
}

bool has_step_times(const PointRecord& run) {
  return run.iterations > 0 && run.wall_s > 0 && !run.ranks.empty() &&
         run.own_mean_s.value_or(0) > 0 && run.own_max_of_rank_means_s && counted_data_wait_s(run);
}

// Absent where a report does not hold the times (imported ones, steps without phases), or where the
// steps were not all full batches, so that shares of time would not add up to lost throughput.
std::optional<LossOfEfficiency> loss_of(const std::vector<RunPair>& pairs,
                                        statistics::Scaling scaling, double ratio,
                                        double efficiency) {
  std::vector<statistics::StepTimesPair> times;
  for (const RunPair& pair : pairs) {
    if (!has_step_times(*pair.baseline) || !has_step_times(*pair.scaled)) return std::nullopt;
    times.push_back({step_times(*pair.baseline), step_times(*pair.scaled)});
  }
  const auto shares = statistics::shares_of_lost_efficiency(times, scaling, ratio);
  const double missing = std::abs(shares.sum() - (1 - efficiency));
  if (!(missing <= kSumTolerance * std::max(1.0, efficiency))) return std::nullopt;  // NaN, too
  return LossOfEfficiency{shares.slower_compute, shares.data_wait, shares.persistent_imbalance,
                          shares.jitter, shares.communication};
}

// The rank whose own time is largest in the mean over runs.
int slowest_rank(const std::vector<RunPair>& pairs) {
  std::map<int, double> own_s;
  for (const RunPair& pair : pairs) {
    for (const RankRecord& rank : pair.scaled->ranks)
      own_s[rank.rank] += rank.own_mean_s.value_or(0);
  }
  return std::ranges::max_element(own_s, {}, [](const auto& entry) { return entry.second; })->first;
}

ScalingRow row_of(const std::string& group, const std::vector<RunPair>& pairs,
                  const SliceGroups& slice) {
  const PointRecord& first = *pairs.front().scaled;
  const int ranks = first.world_size, baseline_ranks = pairs.front().baseline->world_size;
  ScalingRow row{.world_size = ranks, .group = group, .strategy = first.strategy};
  std::vector<statistics::ThroughputPair> rates;
  std::vector<double> scaled;
  for (const RunPair& pair : pairs) {
    row.points.push_back(pair.scaled->id);
    rates.push_back({pair.baseline->samples_per_sec, pair.scaled->samples_per_sec});
    scaled.push_back(pair.scaled->samples_per_sec);
  }
  const auto found = statistics::paired_efficiency(rates, ranks, baseline_ranks);
  row.samples_per_sec = statistics::estimate_over_runs(scaled).value;
  row.speedup = found.speedup;
  row.efficiency = found.efficiency;
  if (is_finite(found.efficiency_ci95)) {
    row.efficiency_ci95_low = found.efficiency_ci95->low;
    row.efficiency_ci95_high = found.efficiency_ci95->high;
  }
  const double ratio = static_cast<double>(ranks) / baseline_ranks;
  row.loss_of_efficiency = loss_of(pairs, scaling_kind(slice), ratio, found.efficiency);
  if (!row.loss_of_efficiency || pairs.front().baseline == pairs.front().scaled) return row;

  row.in_words = waterfall_in_words(ratio, row.speedup, *row.loss_of_efficiency, std::nullopt);
  if (row.in_words.find("imbalance -") != std::string::npos) {
    row.slowest_rank = slowest_rank(pairs);
    row.in_words =
        waterfall_in_words(ratio, row.speedup, *row.loss_of_efficiency, row.slowest_rank);
  }
  return row;
}

// The group that rows are compared with: the planned baseline, or the smallest world size that ran.
std::string baseline_group(const RunsByGroup& runs, const SliceGroups& slice) {
  if (!runs.ok(slice.baseline).empty()) return slice.baseline;
  std::string smallest;
  for (const std::string& group : slice.rows) {
    const Runs good = runs.ok(group);
    if (good.empty() ||
        (!catalogue::exchanges(good.front()->strategy) && good.front()->world_size > 1))
      continue;
    if (smallest.empty() || good.front()->world_size < runs.ok(smallest).front()->world_size) {
      smallest = group;
    }
  }
  return smallest;
}

std::string relative_to(const PointRecord& baseline) {
  const std::string ranks =
      std::to_string(baseline.world_size) + (baseline.world_size == 1 ? " rank" : " ranks");
  return ranks + (catalogue::exchanges(baseline.strategy) ? "" : " without communication");
}

}  // namespace

std::vector<ScalingTable> scaling_of(const RunsByGroup& runs,
                                     const std::vector<SliceGroups>& slices) {
  std::vector<ScalingTable> tables;
  for (const SliceGroups& slice : slices) {
    const std::string baseline = baseline_group(runs, slice);
    if (baseline.empty()) continue;  // nothing of this slice ran: its groups say so
    const Runs against = runs.ok(baseline);
    ScalingTable table{.kind = slice.kind,
                       .fixed = slice.fixed,
                       .baseline_points = {},
                       .relative_to = relative_to(*against.front()),
                       .rows = {},
                       .left_out = {}};
    for (const PointRecord* run : against) table.baseline_points.push_back(run->id);
    std::set<std::string> groups(slice.rows.begin(), slice.rows.end());
    groups.insert(baseline);
    for (const std::string& group : groups) {
      const Pairs found = paired(against, runs.ok(group));
      table.left_out.insert(table.left_out.end(), found.elsewhere.begin(), found.elsewhere.end());
      if (!found.pairs.empty()) table.rows.push_back(row_of(group, found.pairs, slice));
    }
    std::ranges::stable_sort(table.rows, {}, [](const ScalingRow& row) {
      return std::pair(row.world_size,
                       catalogue::exchanges(row.strategy) ? 0 : 1 - (row.world_size == 1) * 2);
    });
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace scalemark::reporting
