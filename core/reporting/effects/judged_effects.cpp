#include "core/reporting/effects/judged_effects.h"

#include <cmath>
#include <utility>

#include "core/statistics/effects.h"
#include "core/statistics/interval.h"

namespace scalemark::reporting {
namespace {

void set_judgement(EffectRecord& effect, const statistics::Effect& judged) {
  effect.pairs = static_cast<int>(judged.pairs);
  effect.ratio = judged.ratio;
  if (is_finite(judged.ratio_ci95)) {
    effect.ratio_ci95_low = judged.ratio_ci95->low;
    effect.ratio_ci95_high = judged.ratio_ci95->high;
  }
  effect.p_holm = judged.p_holm;
  effect.verdict = judged.verdict;
}

}  // namespace

std::vector<EffectRecord> judged_effects(std::vector<ComparedPair> of_axis) {
  std::vector<std::vector<double>> logs;
  for (ComparedPair& pair : of_axis) logs.push_back(std::move(pair.log_ratios));
  const auto answers = statistics::judge_effects(logs);
  std::vector<EffectRecord> effects;
  for (std::size_t i = 0; i < of_axis.size(); ++i) {
    EffectRecord& effect = of_axis[i].effect;
    set_judgement(effect, answers[i]);
    if (std::isfinite(effect.ratio)) effects.push_back(std::move(effect));
  }
  return effects;
}

}  // namespace scalemark::reporting
