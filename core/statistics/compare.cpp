#include "core/statistics/compare.h"

#include <algorithm>
#include <cmath>

#include "core/statistics/holm.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"
#include "core/statistics/welch.h"

namespace scalemark::statistics {
namespace {

constexpr double kFalseAlarms = 0.05;  // in the whole family of points
constexpr double kPower = 0.95;

// All points of one comparison share this.
struct Rule {
  ComparedUnit unit;
  double threshold;
  double level;  // of the strictest test: kFalseAlarms / points tested
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

// Of the points that are tested, in their order.
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

}  // namespace scalemark::statistics
