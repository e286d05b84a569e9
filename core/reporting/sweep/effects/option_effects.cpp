#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/reporting/effects/judged_effects.h"
#include "core/reporting/sweep/runs.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

template <class Value>
double mean_difference(const std::vector<RunPair>& pairs, const Value& value) {
  double sum = 0;
  for (const RunPair& pair : pairs) sum += value(*pair.scaled) - value(*pair.baseline);
  return sum / static_cast<double>(pairs.size());
}

std::optional<Phases> phases_difference(const std::vector<RunPair>& pairs) {
  const bool everywhere = std::ranges::all_of(
      pairs, [](const RunPair& pair) { return pair.scaled->phases_s && pair.baseline->phases_s; });
  if (!everywhere) return std::nullopt;
  Phases difference;
  for (const auto& [name, phase] : kPhases) {
    difference.*phase = mean_difference(
        pairs, [phase = phase](const PointRecord& run) { return (*run.phases_s).*phase; });
  }
  return difference;
}

void set_differences(EffectRecord& effect, const std::vector<RunPair>& pairs) {
  effect.memory_delta_bytes = std::llround(mean_difference(
      pairs, [](const PointRecord& run) { return static_cast<double>(run.memory_peak_bytes); }));
  effect.phases_delta_s = phases_difference(pairs);
  if (const auto loss = loss_difference(pairs)) {
    effect.loss_delta = loss->mean;
    effect.loss_step = loss->step;
  }
}

std::vector<double> log_ratios(const std::vector<RunPair>& pairs) {
  std::vector<double> logs;
  for (const RunPair& pair : pairs) {
    logs.push_back(std::log(pair.scaled->samples_per_sec) -
                   std::log(pair.baseline->samples_per_sec));
  }
  return logs;
}

// Values that ran together with the first one.
void add_candidates(const RunsByGroup& runs, const ComparedGroups& comparison,
                    std::vector<ComparedPair>& all) {
  const auto& first = comparison.values.front();
  for (std::size_t i = 1; i < comparison.values.size(); ++i) {
    const auto& other = comparison.values[i];
    auto found = paired(runs.ok(first.group), runs.ok(other.group)).pairs;
    if (found.empty()) continue;
    ComparedPair& candidate = all.emplace_back();
    candidate.disturbed_by = keep_fit(found, [&](const RunPair& pair) {
      return runs.is_fit(*pair.scaled) && runs.is_fit(*pair.baseline);
    });
    candidate.effect.axis = comparison.axis;
    candidate.effect.fixed = comparison.fixed;
    candidate.effect.from = first.value;
    candidate.effect.to = other.value;
    candidate.effect.groups = {first.group, other.group};
    set_differences(candidate.effect, found);
    candidate.log_ratios = log_ratios(found);
  }
}

}  // namespace

std::vector<EffectRecord> effects_of(const RunsByGroup& runs,
                                     const std::vector<ComparedGroups>& comparisons) {
  std::vector<EffectRecord> effects;
  for (std::size_t begin = 0, end = 0; begin < comparisons.size(); begin = end) {
    std::vector<ComparedPair> of_axis;
    for (; end < comparisons.size() && comparisons[end].axis == comparisons[begin].axis; ++end) {
      add_candidates(runs, comparisons[end], of_axis);
    }
    std::ranges::move(judged_effects(std::move(of_axis)), std::back_inserter(effects));
  }
  for (EffectRecord& effect : effects) effect.in_words = effect_in_words(effect, effects);
  return effects;
}

}  // namespace scalemark::reporting
