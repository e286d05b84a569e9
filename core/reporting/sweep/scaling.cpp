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
          .data_wait_s = counted_data_wait_s(run).value(),
          .own_of_ranks_s = {}};
}

bool has_step_times(const PointRecord& run) {
  return run.iterations > 0 && run.wall_s > 0 && !run.ranks.empty() &&
         run.own_mean_s.value_or(0) > 0 && run.own_max_of_rank_means_s && counted_data_wait_s(run);
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
std::optional<std::vector<statistics::StepTimesPair>> times_of(const std::vector<RunPair>& pairs) {
  const bool same_places = std::ranges::all_of(
      pairs, [&](const RunPair& pair) { return same_ranks(*pair.scaled, *pairs.front().scaled); });
  std::vector<statistics::StepTimesPair> times;
  for (const RunPair& pair : pairs) {
    if (!has_step_times(*pair.baseline) || !has_step_times(*pair.scaled)) return std::nullopt;
    times.push_back({step_times(*pair.baseline), step_times(*pair.scaled)});
    if (same_places) times.back().scaled.own_of_ranks_s = own_of_ranks_s(*pair.scaled);
  }
  return times;
}

Bounds bounds_of(const std::optional<statistics::Interval>& interval) {
  return is_finite(interval) ? Bounds{interval->low, interval->high} : Bounds{};
}

std::optional<LossIntervals> intervals_of(const std::vector<statistics::LossTerms>& by_block) {
  const auto found = statistics::loss_intervals(by_block);
  if (!found) return std::nullopt;
  return LossIntervals{.slower_compute = bounds_of(found->slower_compute),
                       .data_wait = bounds_of(found->data_wait),
                       .persistent_imbalance = bounds_of(found->persistent_imbalance),
                       .run_imbalance = bounds_of(found->run_imbalance),
                       .jitter = bounds_of(found->jitter),
                       .communication = bounds_of(found->communication)};
}

// Absent also where the steps were not all full batches, so that shares of time would not add up to
// lost throughput.
void set_loss(ScalingRow& row, const std::vector<RunPair>& pairs, const SliceGroups& slice,
              double ratio) {
  const auto times = times_of(pairs);
  if (!times) return;
  const auto scaling = scaling_kind(slice);
  const auto shares = statistics::shares_of_lost_efficiency(*times, scaling, ratio);
  const double missing = std::abs(shares.sum() - (1 - row.efficiency));
  if (!(missing <= kSumTolerance * std::max(1.0, row.efficiency))) return;  // NaN, too
  row.loss_of_efficiency =
      LossOfEfficiency{shares.slower_compute, shares.data_wait, shares.persistent_imbalance,
                       shares.run_imbalance,  shares.jitter,    shares.communication};
  row.loss_of_efficiency_ci95 = intervals_of(statistics::shares_by_block(*times, scaling, ratio));
}

// The rank that is named at this point, of several the slowest.
std::optional<int> named_rank(const std::string& group, const std::vector<Straggler>& stragglers) {
  const Straggler* slowest = nullptr;
  for (const Straggler& rank : stragglers) {
    if (rank.group != group || !is_named(rank.verdict)) continue;
    if (!slowest || rank.deviation > slowest->deviation) slowest = &rank;
  }
  return slowest ? std::optional(slowest->rank) : std::nullopt;
}

ScalingRow row_of(const std::string& group, const std::vector<RunPair>& pairs,
                  const SliceGroups& slice, const std::vector<Straggler>& stragglers) {
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
  set_loss(row, pairs, slice, ratio);
  if (!row.loss_of_efficiency || pairs.front().baseline == pairs.front().scaled) return row;
  row.slowest_rank = named_rank(group, stragglers);
  row.in_words = waterfall_in_words(ratio, row.speedup, *row.loss_of_efficiency, row.slowest_rank);
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
                                     const std::vector<SliceGroups>& slices,
                                     const std::vector<Straggler>& stragglers) {
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
      if (!found.pairs.empty()) table.rows.push_back(row_of(group, found.pairs, slice, stragglers));
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
