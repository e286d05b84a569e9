// Are runs normally distributed around the mean of their point? Student's t supposes it. Knows
// nothing of points or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

struct Normality {
  std::size_t runs = 0;
  double skewness_z = 0;  // below 0: a few runs are far slower than the rest
  double kurtosis_z = 0;  // above 0: a few are far from the rest; below 0: they keep to two levels
  double p = 1;           // that normal runs are as far from it
};

// `groups`: ln X of the runs of each point, each group with a mean and a spread of its own. Each
// run is set against the others of its group (externally studentized residual t, nu = n - 2 degrees
// of freedom) and brought to a normal score, z = +-(8 nu + 1) / (8 nu + 3) sqrt(nu ln(1 + t^2 /
// nu)), so that groups of all sizes and spreads add up. skewness_z and kurtosis_z are mean z^3 and
// ln mean z^4, less their mean and by their standard deviation over simulated normal groups of the
// same sizes; p is the share of those with skewness_z^2 + kurtosis_z^2 as large. Groups of fewer
// than 4 runs, and without a spread, are left out; absent when none is left. Source: Wallace 1959
// (t to z); docs/STATISTICS.md, "Runs that are not normal" (power simulated).
std::optional<Normality> check_normality(std::span<const std::vector<double>> groups);

}  // namespace scalemark::statistics
