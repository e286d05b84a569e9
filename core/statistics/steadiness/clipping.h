// Outliers of a series, pulled in so that they cannot pass for a change of level. Knows nothing of
// what was measured.
#pragma once

#include <span>
#include <vector>

namespace scalemark::statistics {

// Each value within median +- 6 x 1.4826 MAD (median absolute deviation; the factor makes it the
// standard deviation of normal values). More than half of the values equal: nothing is changed,
// since the MAD is 0. `values` not empty.
std::vector<double> clipped(std::span<const double> values);

}  // namespace scalemark::statistics
