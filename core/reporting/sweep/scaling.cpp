#include <algorithm>
#include <set>

#include "core/catalogue/strategy.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/runs.h"

namespace scalemark::reporting {
namespace {

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
  std::vector<double> scaled;
  for (const RunPair& pair : pairs) {
    row.points.push_back(pair.scaled->id);
    scaled.push_back(pair.scaled->samples_per_sec);
  }
  const auto found = statistics::paired_efficiency(rates_of(pairs), ranks, baseline_ranks);
  row.samples_per_sec = statistics::estimate_over_runs(scaled).value;
  row.speedup = found.speedup;
  row.efficiency = found.efficiency;
  if (is_finite(found.efficiency_ci95)) {
    row.efficiency_ci95_low = found.efficiency_ci95->low;
    row.efficiency_ci95_high = found.efficiency_ci95->high;
  }
  const double ratio = static_cast<double>(ranks) / baseline_ranks;
  set_lost_efficiency(row, pairs, slice, ratio);
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
