// Finds the fastest point, the fastest value of --tune, and from which batch size on communication
// stays small.
#include "core/statistics/fastest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/effects/judged_effects.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/sweep/runs.h"
#include "core/reporting/words/words.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

// One value per run, or per session where there are several: what one session shifts is in all of
// its runs.
std::vector<double> units_of(const Runs& runs) {
  const auto sessions = rates_by_session(runs);
  if (sessions.size() == 1) return sessions.front();
  std::vector<double> means;
  for (const auto& rates : sessions) means.push_back(statistics::geometric_mean(rates));
  return means;
}

std::optional<TuningRecord> answer(const SweepRuns& runs, const ComparedGroups& comparison,
                                   const std::map<std::string, std::string>& stop_reasons) {
  std::vector<statistics::BlockRates> runners;
  std::vector<ComparedGroups::Value> ran;
  std::vector<bool> disturbed;  // too few of its runs were not: it may be as fast as any
  for (const auto& value : comparison.values) {
    const auto& all = runs_of(runs, value.group);
    if (all.ok.empty()) continue;
    const Runs fit = all.fit();
    disturbed.push_back(fit.empty());
    runners.push_back(rates_by_block<PointRecord>(fit.empty() ? all.ok : fit));
    ran.push_back(value);
  }
  if (runners.empty()) return std::nullopt;
  const auto race = statistics::judge_race(runners, statistics::race_level(runners.size(), 1));
  TuningRecord record{.axis = comparison.axis,
                      .fixed = comparison.fixed,
                      .fastest = ran[race.leader].value,
                      .group = ran[race.leader].group};
  for (std::size_t i = 0; i < ran.size(); ++i) {
    if (i == race.leader) continue;
    const auto stopped = stop_reasons.find(ran[i].group);
    if (stopped != stop_reasons.end() && stopped->second == "dropped") {
      record.dropped.push_back({ran[i].value, static_cast<int>(runners[i].size()), race.p[i]});
    } else if (!race.slower[i] || disturbed[i] || disturbed[race.leader]) {
      record.not_distinguishable.push_back(ran[i].value);
    }
  }
  return record;
}

constexpr std::array kShares{0.30, 0.10};

// One batch size has the share's upper bound, the end of its 95 % interval over runs.
struct MeasuredBatch {
  std::int64_t batch = 0;
  std::optional<double> upper;
};

std::optional<MeasuredBatch> measured(const Runs& runs, const std::string& axis) {
  if (runs.empty()) return std::nullopt;
  std::vector<double> shares;
  for (const PointRecord* run : runs) {
    const auto& network_s = run->communication.network_s;
    if (!network_s || !(run->step_mean_over_ranks_s > 0)) return std::nullopt;
    shares.push_back(*network_s / run->step_mean_over_ranks_s);
  }
  const PointRecord& first = *runs.front();
  const auto batch = axis == "batch_size" ? first.batch_size.value_or(0) : first.global_batch_size;
  const auto ci95 = statistics::mean_interval(shares);
  return MeasuredBatch{.batch = batch,
                       .upper = is_finite(ci95) ? std::optional(ci95->high) : std::nullopt};
}

// Ascending, each batch size once.
std::vector<MeasuredBatch> batches_of(const SweepRuns& runs, const ComparedGroups& comparison) {
  std::vector<MeasuredBatch> batches;
  for (const auto& value : comparison.values) {
    const auto one = measured(runs_of(runs, value.group).ok, comparison.axis);
    if (one) batches.push_back(*one);
  }
  std::ranges::sort(batches, {}, &MeasuredBatch::batch);
  return batches;
}

std::optional<std::int64_t> first_below(const std::vector<MeasuredBatch>& batches, double share) {
  std::optional<std::int64_t> from;
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
    if (!batch->upper || *batch->upper >= share) break;
    from = batch->batch;
  }
  return from;
}

}  // namespace

// A point without enough fit runs may be as fast as any.
std::optional<FastestPoint> fastest_point(const SweepRuns& runs) {
  std::vector<std::string> groups, disturbed;
  std::vector<std::vector<double>> rates;
  for (const auto& group : runs) {
    if (group.ok.empty() || is_solo(*group.ok.front())) continue;
    const Runs fit = group.fit();
    (fit.empty() ? disturbed : groups).push_back(group.first().group);
    if (!fit.empty()) rates.push_back(units_of(fit));
  }
  const auto found = statistics::fastest_of(rates);
  if (!found) return std::nullopt;
  FastestPoint fastest{.group = groups[found->best]};
  for (const std::size_t other : found->others) fastest.not_told_apart.push_back(groups[other]);
  std::ranges::move(disturbed, std::back_inserter(fastest.not_told_apart));
  return fastest;
}

std::vector<TuningRecord> tuning_of(const SweepRuns& runs, const SummaryOptions& options) {
  std::vector<TuningRecord> all;
  for (const ComparedGroups& comparison : options.comparisons) {
    if (comparison.axis != options.tuned_axis) continue;
    if (auto record = answer(runs, comparison, options.stop_reasons))
      all.push_back(*std::move(record));
  }
  for (TuningRecord& record : all) record.in_words = tuning_in_words(record, all);
  return all;
}

std::vector<CommunicationLimit> communication_limits_of(
    const SweepRuns& runs, const std::vector<ComparedGroups>& comparisons) {
  std::vector<CommunicationLimit> limits;
  for (const ComparedGroups& comparison : comparisons) {
    if (comparison.axis != "batch_size" && comparison.axis != "global_batch_size") continue;
    const auto batches = batches_of(runs, comparison);
    if (batches.size() < 2) continue;
    for (const double share : kShares) {
      limits.push_back({.axis = comparison.axis,
                        .fixed = comparison.fixed,
                        .share = share,
                        .from = first_below(batches, share),
                        .smallest = batches.front().batch,
                        .largest = batches.back().batch});
    }
  }
  for (CommunicationLimit& limit : limits) limit.in_words = limit_in_words(limit, limits);
  return limits;
}

}  // namespace scalemark::reporting
