#include "core/statistics/compare.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kFalseAlarms = 0.05;  // the probability of any among all points together
constexpr double kPower = 0.95;

// All points of one comparison share this.
struct Rule {
  ComparedUnit unit;
  double threshold;
  double level;  // kFalseAlarms / points tested: Holm's level for the smallest p
};

std::optional<Welch> test_of(const PointSides& sides) {
  if (std::min(sides.before.size(), sides.after.size()) < kUnitsToCompare) return std::nullopt;
  return welch_test(logarithms(sides.before), logarithms(sides.after));
}

Change judge(const Welch& test, bool is_significant, const Rule& rule) {
  if (is_significant && change_counts(test.difference, rule.threshold)) {
    if (rule.unit == ComparedUnit::kRunOfOneSession) return Change::kDiffers;
    return test.difference < 0 ? Change::kSlower : Change::kFaster;
  }
  return none_counts(test.interval(0.90), rule.threshold) ? Change::kSame : Change::kUnsure;
}

std::optional<double> relative_change(const PointSides& sides) {
  if (sides.before.empty() || sides.after.empty()) return std::nullopt;
  return std::expm1(mean(logarithms(sides.after)) - mean(logarithms(sides.before)));
}

void fill_in(PointChange& change, const Welch& test, double p_adjusted, const Rule& rule) {
  const Interval ci90 = test.interval(0.90);
  change.ci90 = Interval{std::expm1(ci90.low), std::expm1(ci90.high)};
  change.p_adjusted = p_adjusted;
  change.smallest_found = std::expm1(test.smallest_found(rule.level, kPower));
  change.is_significant = p_adjusted < kFalseAlarms;
  change.exceeds_threshold = all_exceed(test.interval(1 - rule.level), rule.threshold);
  change.change = judge(test, change.is_significant, rule);
}

// Points that are not tested are left out; the others keep their order.
std::vector<double> adjusted_p(std::span<const std::optional<Welch>> tests) {
  std::vector<double> p;
  for (const auto& test : tests) {
    if (test) p.push_back(test->p);
  }
  return holm_adjusted(p);
}

}  // namespace

std::vector<PointChange> compare_points(std::span<const PointSides> points, ComparedUnit unit,
                                        double threshold) {
  std::vector<std::optional<Welch>> tests;
  for (const PointSides& sides : points) tests.push_back(test_of(sides));
  const std::vector<double> adjusted = adjusted_p(tests);
  const auto family = static_cast<double>(std::max<std::size_t>(1, adjusted.size()));
  const Rule rule{.unit = unit, .threshold = threshold, .level = kFalseAlarms / family};

  std::vector<PointChange> changes;
  auto p_adjusted = adjusted.begin();
  for (std::size_t i = 0; i < points.size(); ++i) {
    PointChange& change = changes.emplace_back();
    change.relative = relative_change(points[i]);
    if (tests[i]) fill_in(change, *tests[i], *p_adjusted++, rule);
  }
  return changes;
}

namespace {

constexpr double kEffectFalseAlarms = 0.05;  // the probability of any among one axis's comparisons

// Returns the two-sided p of the hypothesis that the mean is 0.
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

std::vector<AbbaQuadruple> abba_quadruples(std::span<const double> blocks) {
  if (blocks.empty() || blocks.size() % 4 != 0) {
    throw bug(std::to_string(blocks.size()) + " blocks are no whole quadruples");
  }
  std::vector<AbbaQuadruple> quadruples;
  for (std::size_t i = 0; i < blocks.size(); i += 4) {
    quadruples.push_back(
        {.with = (blocks[i] + blocks[i + 3]) / 2, .without = (blocks[i + 1] + blocks[i + 2]) / 2});
  }
  return quadruples;
}

AbbaEstimate abba_difference(std::span<const AbbaQuadruple> quadruples) {
  std::vector<double> differences;
  for (const auto& [with, without] : quadruples) differences.push_back(with - without);
  return {.value = mean(differences), .ci95 = mean_interval(differences)};
}

AbbaEstimate abba_ratio(std::span<const AbbaQuadruple> quadruples) {
  std::vector<double> ratios;
  for (const auto& [with, without] : quadruples) ratios.push_back(without / with);
  const RunsEstimate estimate = estimate_over_runs(ratios);
  return {.value = estimate.value, .ci95 = estimate.ci95};
}

}  // namespace scalemark::statistics
