#include "core/reporting/effects/judged_effects.h"

#include <cmath>
#include <span>
#include <utility>

#include "core/statistics/effects.h"
#include "core/statistics/interval.h"

namespace scalemark::reporting {
namespace {

void set_judgement(EffectRecord& effect, const statistics::Effect& judged) {
  effect.pairs = static_cast<int>(judged.pairs);
  effect.ratio = judged.ratio;
  effect.ratio_ci95 = bounds_of(judged.ratio_ci95);
  effect.p_holm = judged.p_holm;
  effect.verdict = judged.verdict;
}

}  // namespace

std::vector<EffectRecord> judged_effects(std::vector<ComparedPair> of_axis) {
  std::vector<std::vector<double>> logs;
  for (ComparedPair& pair : of_axis) {
    if (pair.disturbed_by.empty()) logs.push_back(pair.log_ratios);
  }
  const auto answers = statistics::judge_effects(logs);
  auto next = answers.begin();
  std::vector<EffectRecord> effects;
  for (ComparedPair& pair : of_axis) {
    EffectRecord& effect = pair.effect;
    if (pair.disturbed_by.empty()) {
      set_judgement(effect, *next++);
    } else {
      set_judgement(effect, statistics::judge_effects(std::span(&pair.log_ratios, 1)).front());
      effect.p_holm.reset();
      effect.verdict = statistics::EffectVerdict::kDisturbed;
      effect.disturbed_by = std::move(pair.disturbed_by);
    }
    if (std::isfinite(effect.ratio)) effects.push_back(std::move(effect));
  }
  return effects;
}

}  // namespace scalemark::reporting
