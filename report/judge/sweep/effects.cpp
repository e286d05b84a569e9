// Compares points that differ in an option, by pairs of runs: the effects of its values, real data
// against synthetic data, the fastest point, the fastest value of --tune, and from which batch size
// on communication stays small.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/settings/checks.h"
#include "core/statistics/efficiency.h"
#include "core/statistics/fastest.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"
#include "report/judge/judged_effects.h"
#include "report/judge/sweep/runs.h"
#include "report/record/point_facts.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

std::optional<double> loss_at(const PointRecord& run, std::int64_t step) {
  const auto found = std::ranges::find(run.loss_course, step, &LossAtStep::step);
  return found == run.loss_course.end() ? std::nullopt : std::optional(found->loss);
}

// Compares losses after the samples of `step` steps of the baseline. Returns nothing where one of
// both kept no loss there.
std::optional<double> difference_at(const SweepPair& pair, std::int64_t step) {
  const std::int64_t samples = step * pair.baseline->global_batch_size;
  if (pair.scaled->global_batch_size < 1 || samples % pair.scaled->global_batch_size != 0) {
    return std::nullopt;
  }
  const auto before = loss_at(*pair.baseline, step);
  const auto after = loss_at(*pair.scaled, samples / pair.scaled->global_batch_size);
  if (!before || !after) return std::nullopt;
  return *after - *before;
}

// A loop that makes its own random data trains on other samples than one that reads a fixed batch.
bool same_data(const SweepPair& pair) {
  const auto made_in_loop = [](const PointRecord& run) {
    return value_at(run.varying, "synthetic_in_loop");
  };
  return pair.baseline->data == pair.scaled->data &&
         made_in_loop(*pair.baseline) == made_in_loop(*pair.scaled);
}

struct LossDifference {
  double mean = 0;
  std::int64_t step = 0;
};

// Returns the difference of the loss after equally many samples (scaled less baseline, the mean
// over `pairs`), and the baseline's step at which it was taken: the last one that all runs have.
// Returns nothing where there is none, and between different data.
std::optional<LossDifference> loss_difference(const std::vector<SweepPair>& pairs) {
  const PointRecord& first = *pairs.front().baseline;
  if (!same_data(pairs.front())) return std::nullopt;
  for (std::size_t i = first.loss_course.size(); i-- > 0;) {
    LossDifference found{.mean = 0, .step = first.loss_course[i].step};
    const bool everywhere = std::ranges::all_of(pairs, [&](const SweepPair& pair) {
      const auto difference = difference_at(pair, found.step);
      found.mean += difference.value_or(0) / static_cast<double>(pairs.size());
      return difference.has_value();
    });
    if (everywhere) return found;
  }
  return std::nullopt;
}

template <class Value>
double mean_difference(const std::vector<SweepPair>& pairs, const Value& value) {
  double sum = 0;
  for (const SweepPair& pair : pairs) sum += value(*pair.scaled) - value(*pair.baseline);
  return sum / static_cast<double>(pairs.size());
}

std::optional<Phases> phases_difference(const std::vector<SweepPair>& pairs) {
  const bool everywhere = std::ranges::all_of(pairs, [](const SweepPair& pair) {
    return pair.scaled->phases_s && pair.baseline->phases_s;
  });
  if (!everywhere) return std::nullopt;
  Phases difference;
  for (const auto& [name, phase] : kPhases) {
    difference.*phase = mean_difference(
        pairs, [phase = phase](const PointRecord& run) { return (*run.phases_s).*phase; });
  }
  return difference;
}

void set_differences(EffectRecord& effect, const std::vector<SweepPair>& pairs) {
  effect.memory_delta_bytes = std::llround(mean_difference(
      pairs, [](const PointRecord& run) { return static_cast<double>(run.memory_peak_bytes); }));
  effect.phases_delta_s = phases_difference(pairs);
  if (const auto loss = loss_difference(pairs)) {
    effect.loss_delta = loss->mean;
    effect.loss_step = loss->step;
  }
}

// Adds the values whose runs ran together with runs of the first one.
void add_values(const SweepRuns& runs, const ComparedGroups& comparison,
                std::vector<ComparedRuns<PointRecord>>& of_axis) {
  const auto& first = comparison.values.front();
  for (const auto& other : std::span(comparison.values).subspan(1)) {
    add_compared(of_axis,
                 {.axis = comparison.axis,
                  .fixed = comparison.fixed,
                  .from = first.value,
                  .to = other.value},
                 runs_of(runs, first.group), runs_of(runs, other.group));
  }
}

// A loader's options vary with real data only, since a synthetic point has none of them. Synthetic
// data that is made in the loop is not compared with files.
std::map<std::string, std::string> varying_but_data(const PointRecord& p) {
  auto varying = p.varying;
  varying.erase("data");
  for (const std::string_view option : settings::reading_options()) {
    varying.erase(std::string(option));
  }
  if (const auto made = varying.find("synthetic_in_loop");
      made != varying.end() && made->second == "off") {
    varying.erase(made);
  }
  return varying;
}

auto all_but_data(const PointRecord& p) {
  return std::tie(p.workload, p.task, p.strategy, p.overlap, p.gradient_compression, p.backend,
                  p.device, p.precision, p.memory_format, p.threads, p.world_size, p.batch_size,
                  p.gradient_accumulation_steps, p.bucket_cap_mb, p.image_size, p.sequence_length);
}

std::optional<DataGap> gap_between(const Runs& real, const Runs& synthetic) {
  const auto rates = rates_of(paired(synthetic, real));
  if (rates.empty()) return std::nullopt;
  double real_ln = 0, synthetic_ln = 0;
  for (const auto& rate : rates) {
    real_ln += std::log(rate.scaled) / static_cast<double>(rates.size());
    synthetic_ln += std::log(rate.baseline) / static_cast<double>(rates.size());
  }
  const auto ratio = statistics::paired_efficiency(rates, 1);
  DataGap gap{.real_group = real.front()->group,
              .synthetic_group = synthetic.front()->group,
              .real_samples_per_sec = std::exp(real_ln),
              .synthetic_samples_per_sec = std::exp(synthetic_ln),
              .lost_share = 1 - ratio.efficiency};
  const auto& ci95 = ratio.efficiency_ci95;
  if (is_finite(ci95)) gap.lost_share_ci95 = {1 - ci95->high, 1 - ci95->low};
  return gap;
}

}  // namespace

std::vector<EffectRecord> effects_of(const SweepRuns& runs,
                                     const std::vector<ComparedGroups>& comparisons) {
  std::vector<EffectRecord> effects;
  for (std::size_t begin = 0, end = 0; begin < comparisons.size(); begin = end) {
    std::vector<ComparedRuns<PointRecord>> of_axis;
    for (; end < comparisons.size() && comparisons[end].axis == comparisons[begin].axis; ++end) {
      add_values(runs, comparisons[end], of_axis);
    }
    for (auto& [effect, pairs, disturbed_by] : of_axis) set_differences(effect, pairs);
    std::ranges::move(judged_effects(std::move(of_axis)), std::back_inserter(effects));
  }
  for (EffectRecord& effect : effects) effect.in_words = effect_in_words(effect, effects);
  return effects;
}

std::vector<DataGap> data_gaps_of(const SweepRuns& runs) {
  std::vector<DataGap> gaps;
  for (const auto& [all, real, undisturbed] : runs) {
    if (real.empty() || real.front()->data == "synthetic") continue;
    for (const auto& other : runs) {
      const Runs& synthetic = other.ok;
      if (synthetic.empty() || synthetic.front()->data != "synthetic") continue;
      if (all_but_data(*real.front()) != all_but_data(*synthetic.front())) continue;
      if (varying_but_data(*real.front()) != varying_but_data(*synthetic.front())) continue;
      if (auto gap = gap_between(real, synthetic)) gaps.push_back(*std::move(gap));
    }
  }
  return gaps;
}

namespace {

// Returns one value per run, or per session where there are several, since whatever shifts a
// session shifts all its runs.
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
  std::vector<bool> disturbed;  // too few undisturbed runs: the value may be as fast as any
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

// A batch size with its upper bound: the end of the share's 95 % interval over runs.
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

// Returns each batch size once, in ascending order.
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

// A point without enough undisturbed runs may be as fast as any.
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
