// Scaling tables of a sweep, and the ranks that are slower than the others, which the tables name.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/runs.h"
#include "core/statistics/steadiness/steady.h"
#include "core/statistics/straggler.h"
#include "report/judge/sweep/runs.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/record/report_json.h"

namespace scalemark::reporting {
namespace {

// Returns the rank that is named at this point, or the slowest of several.
std::optional<int> named_rank(const std::string& group, const std::vector<Straggler>& stragglers) {
  const Straggler* slowest = nullptr;
  for (const Straggler& rank : stragglers) {
    if (rank.group != group || !is_named(rank.verdict)) continue;
    if (!slowest || rank.deviation > slowest->deviation) slowest = &rank;
  }
  return slowest ? std::optional(slowest->rank) : std::nullopt;
}

bool is_own_baseline(const SweepPair& pair) { return pair.baseline == pair.scaled; }

// The relative uncertainty of a ratio from the steps within both runs.
std::optional<double> within_pair_share(const SweepPair& pair) {
  const auto baseline = within_run_share(*pair.baseline), scaled = within_run_share(*pair.scaled);
  if (!baseline || !scaled) return std::nullopt;
  return std::sqrt(*baseline * *baseline + *scaled * *scaled);
}

using Groups = std::vector<GroupRecord>;

// Counts the runs of one point whose windows were not steady. All repetitions together show more
// than each: where they have a verdict, it applies to every run.
int unsteady_windows(const Runs& runs, const Groups& groups) {
  const GroupRecord* group = find_group(groups, runs.front()->group);
  const bool pooled = group && group->n >= static_cast<int>(statistics::kRunsToPool);
  if (pooled && group->steady) return *group->steady ? 0 : static_cast<int>(runs.size());
  return static_cast<int>(std::ranges::count(runs, std::optional(false), &PointRecord::steady));
}

void set_unsteady_runs(ScalingRow& row, const std::vector<SweepPair>& pairs, const Groups& groups) {
  Runs baselines, scaled;
  for (const SweepPair& pair : pairs) {
    baselines.push_back(pair.baseline);
    scaled.push_back(pair.scaled);
  }
  const int unsteady = unsteady_windows(baselines, groups) + unsteady_windows(scaled, groups);
  if (unsteady > 0) row.unsteady_runs = unsteady;
}

// Shows the spread of the pairs beside their mean.
void set_spread(ScalingRow& row, const std::vector<SweepPair>& pairs, double ranks_ratio) {
  std::vector<double> efficiencies;
  for (const SweepPair& pair : pairs) {
    efficiencies.push_back(pair.scaled->samples_per_sec / pair.baseline->samples_per_sec /
                           ranks_ratio);
  }
  if (pairs.size() == 1) {
    row.at_least = within_pair_share(pairs.front());
    return;
  }
  const auto [lowest, highest] = std::ranges::minmax(efficiencies);
  if (!std::isfinite(highest)) return;
  row.efficiency_lowest = lowest;
  row.efficiency_highest = highest;
}

// --- Where a row lost its efficiency, from the step times of its pairs.

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

// Gives nothing where a report does not hold the times (imported ones, steps without phases).
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

// Leaves both members unset where the runs hold no step times, and where the steps were not all
// full batches, so that shares of time would not add up to lost throughput. `row` has its
// efficiency; `ratio` is the ratio of world sizes.
void set_lost_efficiency(ScalingRow& row, const std::vector<SweepPair>& pairs,
                         const SliceGroups& slice, double ratio) {
  const auto times = times_of(pairs);
  if (!times) return;
  const auto scaling = scaling_kind(slice);
  const auto shares = statistics::shares_of_lost_efficiency(*times, scaling, ratio);
  const double efficiency = row.efficiency.value_or(0);
  const double missing = std::abs(shares.sum() - (1 - efficiency));
  if (!(missing <= kSumTolerance * std::max(1.0, efficiency))) return;  // also true for NaN
  row.loss_of_efficiency = shares;
  row.loss_of_efficiency_ci95 =
      statistics::loss_intervals(statistics::shares_by_block(*times, scaling, ratio));
}

ScalingRow row_of(const std::string& group, const std::vector<SweepPair>& pairs,
                  const SliceGroups& slice, const std::vector<Straggler>& stragglers,
                  const Groups& verdicts) {
  const PointRecord& first = *pairs.front().scaled;
  const int ranks = first.world_size, baseline_ranks = pairs.front().baseline->world_size;
  ScalingRow row{.world_size = ranks, .group = group, .strategy = first.strategy};
  Runs runs;
  for (const SweepPair& pair : pairs) {
    row.points.push_back(pair.scaled->id);
    runs.push_back(pair.scaled);
  }
  row.samples_per_sec = statistics::estimate_over_sessions(rates_by_session(runs)).value;
  row.step_time_s = step_time_of(runs, row.samples_per_sec);
  if (is_own_baseline(pairs.front())) return row;
  const auto found = statistics::paired_efficiency(rates_of(pairs), ranks, baseline_ranks);
  row.speedup = found.speedup;
  row.efficiency = found.efficiency;
  row.efficiency_ci95 = bounds_of(found.efficiency_ci95);
  const double ratio = static_cast<double>(ranks) / baseline_ranks;
  set_spread(row, pairs, ratio);
  set_unsteady_runs(row, pairs, verdicts);
  set_lost_efficiency(row, pairs, slice, ratio);
  if (!row.loss_of_efficiency) return row;
  row.slowest_rank = named_rank(group, stragglers);
  row.in_words = waterfall_in_words(row);
  return row;
}

// Returns the group that rows are compared with: the planned baseline, or the smallest world size
// that ran.
std::string baseline_group(const SweepRuns& runs, const SliceGroups& slice) {
  if (!runs_of(runs, slice.baseline).ok.empty()) return slice.baseline;
  std::string smallest;
  for (const std::string& group : slice.rows) {
    const Runs& good = runs_of(runs, group).ok;
    if (good.empty() ||
        (!catalogue::exchanges(good.front()->strategy) && good.front()->world_size > 1))
      continue;
    if (smallest.empty() ||
        good.front()->world_size < runs_of(runs, smallest).ok.front()->world_size) {
      smallest = group;
    }
  }
  return smallest;
}

// Lists runs whose baseline ran in another session only, so that they have no pair.
void leave_out(const Runs& scaled, const Runs& baseline, ScalingTable& table) {
  for (const PointRecord* run : scaled) {
    if (run_in<PointRecord>(baseline, block_of(*run))) continue;
    if (std::ranges::count(baseline, run->block, &PointRecord::block) > 0) {
      table.left_out.push_back(run->id);
    }
  }
}

std::string relative_to(const PointRecord& baseline) {
  return counted(baseline.world_size, "rank") +
         (catalogue::exchanges(baseline.strategy) ? "" : " without communication");
}

}  // namespace

std::vector<ScalingTable> scaling_of(const SweepRuns& runs, const std::vector<SliceGroups>& slices,
                                     const std::vector<Straggler>& stragglers,
                                     const std::vector<GroupRecord>& verdicts) {
  std::vector<ScalingTable> tables;
  for (const SliceGroups& slice : slices) {
    const std::string baseline = baseline_group(runs, slice);
    if (baseline.empty()) continue;  // nothing of this slice ran: its groups report that
    const Runs& against = runs_of(runs, baseline).ok;
    ScalingTable table{
        .kind = slice.kind, .fixed = slice.fixed, .relative_to = relative_to(*against.front())};
    for (const PointRecord* run : against) table.baseline_points.push_back(run->id);
    std::set<std::string> groups(slice.rows.begin(), slice.rows.end());
    groups.insert(baseline);
    for (const std::string& group : groups) {
      const Runs& scaled = runs_of(runs, group).ok;
      leave_out(scaled, against, table);
      const auto pairs = paired(against, scaled);
      if (!pairs.empty()) table.rows.push_back(row_of(group, pairs, slice, stragglers, verdicts));
    }
    std::ranges::stable_sort(table.rows, {}, [](const ScalingRow& row) {
      return std::pair(row.world_size,
                       catalogue::exchanges(row.strategy) ? 0 : 1 - (row.world_size == 1) * 2);
    });
    tables.push_back(std::move(table));
  }
  return tables;
}

namespace {

constexpr double kWorthLooking = 0.03;  // the least threshold of METRICS.md, "Straggler"

// Returns one value per peer; empty when a rank's logarithm is not known.
std::vector<double> logarithms_of(const PointRecord& run) {
  std::vector<double> values;
  for (const RankRecord& rank : peers_of(run)) {
    if (!rank.own_mean_ln) return {};
    values.push_back(*rank.own_mean_ln);
  }
  return values;
}

// The runs of a point that can be compared: they have the same ranks on the same devices.
struct Compared {
  const PointRecord* like = nullptr;
  statistics::RunsOfRanks own;
  bool disturbed = false;  // true: `own` holds all runs, since too few were undisturbed
};

Compared compared_runs(const Runs& runs) {
  Compared compared;
  for (const PointRecord* run : runs) {
    auto values = logarithms_of(*run);
    if (values.size() < 2 || (compared.like && !same_ranks(*compared.like, *run))) continue;
    if (!compared.like) compared.like = run;
    compared.own.push_back(std::move(values));
  }
  return compared;
}

// Other load on a machine slows single ranks down, so too few runs without it show neither a slow
// rank nor a healthy one.
RankVerdict verdict_of(const statistics::RankDelay& delay, bool disturbed) {
  const bool is_normal = delay.verdict == RankVerdict::kWithinNoise;
  return disturbed && !is_normal ? RankVerdict::kDisturbed : delay.verdict;
}

void add_point(const Compared& point, const std::vector<statistics::RankDelay>& delays,
               std::vector<Straggler>& found) {
  for (std::size_t r = 0; r < delays.size(); ++r) {
    const auto& delay = delays[r];
    const bool normal = delay.verdict == RankVerdict::kWithinNoise;
    if (normal && delay.slower_by < kWorthLooking) continue;
    const RankRecord& rank = peers_of(*point.like)[r];
    found.push_back({.group = point.like->group,
                     .rank = rank.rank,
                     .host = rank.host,
                     .device = rank.device,
                     .deviation = delay.slower_by,
                     .low95 = delay.lower_bound,
                     .runs = static_cast<int>(point.own.size()),
                     .slow_runs = static_cast<int>(delay.slow_runs),
                     .verdict = verdict_of(delay, point.disturbed)});
  }
}

// A rank that has one verdict at several points.
struct ShownRank {
  const Straggler* first;
  double least, most;  // shares of the others' time
  std::vector<std::string> points;
};

std::vector<ShownRank> shown_ranks(const Report& report) {
  std::map<std::tuple<int, std::string, std::string, RankVerdict>, ShownRank> ranks;
  for (const Straggler& rank : report.stragglers) {
    if (!naming(rank.verdict)) continue;
    const double by = std::expm1(rank.deviation);  // ln seconds become a share of the others' time
    const auto key = std::tuple(rank.rank, rank.host, rank.device, rank.verdict);
    ShownRank& shown = ranks.try_emplace(key, ShownRank{&rank, by, by, {}}).first->second;
    shown.least = std::min(shown.least, by);
    shown.most = std::max(shown.most, by);
    const bool at_times =
        rank.verdict == RankVerdict::kIntermittent || rank.verdict == RankVerdict::kSlowerAtTimes;
    shown.points.push_back(at_times ? rank.group + " (" + std::to_string(rank.slow_runs) + " of " +
                                          std::to_string(rank.runs) + " runs)"
                                    : rank.group);
  }
  std::vector<ShownRank> shown;
  for (auto& [key, rank] : ranks) shown.push_back(std::move(rank));
  return shown;
}

}  // namespace

// Judges all points together: the more ranks are tested, the more a healthy one stands out by
// chance.
std::vector<Straggler> stragglers_of(const SweepRuns& runs, double device_spread) {
  std::vector<Compared> points;
  std::vector<statistics::RunsOfRanks> own;
  for (const auto& group : runs) {
    const Runs fit = group.fit();
    Compared point = compared_runs(fit.empty() ? group.ok : fit);
    point.disturbed = fit.empty();
    if (point.own.empty()) continue;
    own.push_back(point.own);
    points.push_back(std::move(point));
  }
  const auto delays = statistics::judge_ranks_of_points(own, device_spread);
  std::vector<Straggler> found;
  for (std::size_t i = 0; i < points.size(); ++i) add_point(points[i], delays[i], found);
  return found;
}

std::vector<Finding> findings_of_ranks(const Report& report) {
  std::vector<Finding> findings;
  std::vector<std::string> by_turns;
  std::set<int> taking_turns;
  for (const ShownRank& shown : shown_ranks(report)) {
    const Straggler& rank = *shown.first;
    if (rank.verdict == RankVerdict::kSlowerAtTimes) {
      by_turns.push_back("rank " + std::to_string(rank.rank) + " at " + listed(shown.points));
      taking_turns.insert(rank.rank);
      continue;
    }
    findings.push_back(make_finding(
        *naming(rank.verdict), "",
        {{"by_least", shown.least}, {"by_most", shown.most}, {"points", listed(shown.points)}},
        FindingPlace{.rank = rank.rank, .host = rank.host, .device = rank.device}));
  }
  if (by_turns.empty()) return findings;
  const std::string only =
      taking_turns.size() == 1 ? std::to_string(*taking_turns.begin()) : std::string();
  findings.push_back(make_finding(finding_kinds::ranks_take_turns, "",
                                  {{"only", only}, {"parts", joined(by_turns, "; ")}}));
  return findings;
}

}  // namespace scalemark::reporting
