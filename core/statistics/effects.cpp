#include "core/statistics/effects.h"

#include <cmath>

#include "core/base/error.h"
#include "core/statistics/holm.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kEffectFalseAlarms = 0.05;  // among the comparisons of one axis

// Two-sided p of "the mean is 0".
double p_of(std::span<const double> values) {
  const double centre = mean(values);
  const double error = standard_error(values, centre);
  if (error == 0) return centre == 0 ? 1 : 0;
  return students_t_two_sided(centre / error, static_cast<double>(values.size()) - 1);
}

std::vector<double> adjusted_p(std::span<const std::vector<double>> log_ratios) {
  std::vector<double> p;
  for (const auto& one : log_ratios) {
    if (one.size() >= kPairsToJudge) p.push_back(p_of(one));
  }
  return holm_adjusted(p);
}

EffectVerdict verdict_of(const Effect& effect, std::span<const double> log_ratios) {
  if (!effect.p_holm) return EffectVerdict::kUnsure;
  const bool is_significant = *effect.p_holm < kEffectFalseAlarms;
  if (is_significant && change_counts(mean(log_ratios))) return EffectVerdict::kReal;
  return surely_alike(log_ratios) ? EffectVerdict::kNone : EffectVerdict::kUnsure;
}

}  // namespace

bool surely_alike(std::span<const double> log_ratios) {
  const auto ci90 = mean_interval(log_ratios, 0.90);
  return ci90 && none_counts(*ci90);
}

std::vector<Effect> judge_effects(std::span<const std::vector<double>> log_ratios) {
  const std::vector<double> adjusted = adjusted_p(log_ratios);
  auto next_p = adjusted.begin();
  std::vector<Effect> effects;
  for (const auto& one : log_ratios) {
    if (one.empty()) throw bug("an effect without a pair");
    Effect& effect = effects.emplace_back();
    effect.pairs = one.size();
    effect.ratio = std::exp(mean(one));
    if (const auto ci95 = mean_interval(one)) effect.ratio_ci95 = exponential(*ci95);
    if (one.size() >= kPairsToJudge) effect.p_holm = *next_p++;
    effect.verdict = verdict_of(effect, one);
  }
  return effects;
}

}  // namespace scalemark::statistics
