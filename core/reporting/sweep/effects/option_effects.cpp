#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "core/reporting/effects/judged_effects.h"
#include "core/reporting/sweep/runs.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

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

// Values that ran together with the first one.
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

}  // namespace scalemark::reporting
