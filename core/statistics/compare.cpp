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

bool enough_units(const PointSides& sides) {
  return std::min(sides.before.size(), sides.after.size()) >= kUnitsToCompare;
}

Change judge(double difference, const Interval& ci90, double p_adjusted, double threshold) {
  if (p_adjusted < kFalseAlarms && std::abs(difference) >= threshold) {
    return difference < 0 ? Change::kSlower : Change::kFaster;
  }
  if (-threshold < ci90.low && ci90.high < threshold) return Change::kSame;
  return Change::kUnsure;
}

std::optional<double> relative_change(const PointSides& sides) {
  if (sides.before.empty() || sides.after.empty()) return std::nullopt;
  return std::expm1(mean(logarithms(sides.after)) - mean(logarithms(sides.before)));
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::kFaster:
      return "faster";
    case Change::kSame:
      return "same";
    case Change::kSlower:
      return "slower";
    case Change::kUnsure:
      break;
  }
  return "unsure";
}

std::vector<PointChange> compare_points(std::span<const PointSides> points, double threshold) {
  std::vector<Welch> tests;
  std::vector<double> p;
  for (const PointSides& sides : points) {
    if (!enough_units(sides)) continue;
    tests.push_back(welch_test(logarithms(sides.before), logarithms(sides.after)));
    p.push_back(tests.back().p);
  }
  const std::vector<double> adjusted = holm_adjusted(p);

  std::vector<PointChange> changes;
  std::size_t tested = 0;
  for (const PointSides& sides : points) {
    PointChange change{.relative = relative_change(sides)};
    if (enough_units(sides)) {
      const Interval ci90 = tests[tested].interval(0.90);
      change.ci90 = Interval{std::expm1(ci90.low), std::expm1(ci90.high)};
      change.p_adjusted = adjusted[tested];
      change.change = judge(tests[tested].difference, ci90, adjusted[tested], threshold);
      ++tested;
    }
    changes.push_back(change);
  }
  return changes;
}

}  // namespace scalemark::statistics
