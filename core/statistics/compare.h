// Old against new, point by point: faster, same, slower, or not known well enough to say. Knows
// nothing of reports.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

enum class Change { kFaster, kSame, kSlower, kUnsure };

std::string_view to_string(Change change);  // "faster" | "same" | "slower" | "unsure"

// samples_per_sec of one point on either side, one value per unit: per run where each side is one
// session, per session (the geometric mean of its runs) where there are several.
struct PointSides {
  std::vector<double> before;
  std::vector<double> after;
};

struct PointChange {
  Change change = Change::kUnsure;
  std::optional<double> relative;    // exp(d) - 1; absent where a side has no value
  std::optional<Interval> ci90;      // of `relative`; absent for fewer than 3 units on a side
  std::optional<double> p_adjusted;  // Welch, Holm over all points; absent likewise
};

inline constexpr std::size_t kUnitsToCompare = 3;
inline constexpr double kChangeThatCounts = 0.02;

// d = difference of mean ln X. Slower / faster: significant (Welch, Holm over the points that have
// enough units, 5 %) and |d| >= `threshold`. Same: the 90 % interval of d lies inside +-threshold.
// Unsure: everything else, and fewer than 3 units on a side. One answer per point, in order.
// Source: docs/METRICS.md, "Old against new".
std::vector<PointChange> compare_points(std::span<const PointSides> points,
                                        double threshold = kChangeThatCounts);

}  // namespace scalemark::statistics
