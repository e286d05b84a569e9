// One change of level within a series: where, by how much, and whether noise could look like it;
// and outliers, pulled in so that they cannot pass for one. Knows nothing of what was measured.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/steadiness/decay_fit.h"

namespace scalemark::statistics {

struct ChangePoint {
  std::size_t first = 0;  // index of the first value of the new level
  double change = 0;      // relative to the level before: 0.1 means 10 % longer steps
  double bias = 0;        // relative: the mean / the longer part's - 1
  bool is_found = false;
  double independent_values = 0;  // the values around the two levels are worth so many
};

// CUSUM on 20 batch means: of all places with two batches on either side, the one where two levels
// explain most. Found when the square of its t exceeds kChangeLimit, with the variance of the batch
// means around their own part's level, times (1 + r) / (1 - r), r their lag-1 correlation (plus 2 /
// 20 for the two levels that were fitted, 0 to 0.9), and |bias| > 0.25 %; and when two levels fit
// the batch means better than any decay or a straight line does, so that a ramp is none. The place
// itself is then refined to single values, by least squares within a batch to either side.
//
// `values`: as many as the basis has points, their mean above 0; absent for fewer than 60. Source:
// METRICS.md, "Steady?"; the limit: STATISTICS.md, "Steady?".
std::optional<ChangePoint> most_likely_change(const DecayBasis& basis, const Column& values);

inline constexpr double kChangeLimit = 25;
inline constexpr std::size_t kFewestForChange = 60;

// Returns `values` with each limited to median +- 6 x 1.4826 MAD (median absolute deviation; the
// factor makes it the standard deviation of normal values). Where more than half of the values are
// equal, nothing is changed, since the MAD is 0. `values` is not empty.
std::vector<double> clipped(std::span<const double> values);

}  // namespace scalemark::statistics
