// Tests of significance: of two means (Welch), of runs that are not normal or lie on two levels,
// and of several tests at once (Holm). Knows nothing of points or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::statistics {

// Several tests at once: p values in the order given, adjusted so that the chance of any false
// alarm among them stays at the level that is asked for; compare each with that level (0.05). The
// i-th smallest of m is multiplied by m - i + 1, kept at least at its predecessor's and at most at
// 1. Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
std::vector<double> holm_adjusted(std::span<const double> p);

// Do two sets of independent values have the same mean? Welch's t test, which lets the two sides
// spread differently.
struct Welch {
  double difference = 0;  // mean(b) - mean(a)
  double standard_error = 0;
  double degrees = 0;  // degrees of freedom after Welch and Satterthwaite; no whole number
  double p = 1;        // two-sided

  Interval interval(double confidence) const;  // holds the true difference
  double half_width(double confidence) const;  // half the width of interval()

  // (t(1 - level / 2) + t(power)) SE: about the smallest true difference that a two-sided test at
  // `level` finds with this probability, given the spread that was seen.
  double smallest_found(double level, double power) const;
};

// Needs at least two values per side; throws bug() otherwise. Where neither side spreads, the
// difference is taken as known: p is 0, or 1 when there is none.
//
// Source: B. L. Welch, Biometrika 34 (1947).
Welch welch_test(std::span<const double> a, std::span<const double> b);

// Are runs normally distributed around the mean of their point? Student's t supposes it.
struct Normality {
  std::size_t runs = 0;
  double skewness_z = 0;  // below 0: a few runs are far slower than the rest
  double kurtosis_z = 0;  // above 0: a few are far from the rest; below 0: they keep to two levels
  double p = 1;           // the probability that normal runs look at least as far from normal
};

// `groups`: ln X of the runs of each point, each group with a mean and a spread of its own. Each
// run is set against the others of its group (externally studentized residual t, nu = n - 2 degrees
// of freedom) and brought to a normal score, z = +-(8 nu + 1) / (8 nu + 3) sqrt(nu ln(1 + t^2 /
// nu)), so that groups of all sizes and spreads add up. skewness_z and kurtosis_z are mean z^3 and
// ln mean z^4, less their mean and divided by their standard deviation over simulated normal groups
// of the same sizes; p is the share of those with skewness_z^2 + kurtosis_z^2 as large. Groups of
// fewer than 4 runs, and without a spread, are left out; absent when none is left. Source: Wallace
// 1959 (t to z); STATISTICS.md, "Runs that are not normal" (power simulated).
std::optional<Normality> check_normality(std::span<const std::vector<double>> groups);

// Do the runs of a point lie on two levels, such as those of a clock that is lower in some runs? An
// interval over runs assumes one level.
struct Levels {
  std::size_t runs = 0;
  std::size_t slow_runs = 0;  // on the lower level: those below the largest gap between sorted runs
  double gap = 0;             // that gap, in ln
  double slower_by = 0;       // difference of the levels' means of ln X
  // At most so probable is such a difference among runs of one level; by Holm over all series.
  double p = 1;
  bool two = false;  // p is at most 5 %, and the gap above 1 %
};

inline constexpr std::size_t kRunsForLevels = 3;
inline constexpr double kGapThatCounts = 0.01;

// One answer per series, each the rates of one point in one session, in any order; absent for fewer
// than kRunsForLevels runs. Split at the largest gap between sorted ln X, T is the two-sample t of
// the two sides with their common spread (R - 2 degrees of freedom). R runs can be split in
// 2^(R - 1) - 1 ways. So p <= (2^(R - 1) - 1) P(|t| >= T) for normal runs of one level, although
// the widest split was chosen. Throws bug() for a rate that is not above 0. Source:
// METRICS.md, "Two levels".
std::vector<std::optional<Levels>> judge_levels(std::span<const std::vector<double>> series);

// Returns p for (1 - p)^R = 1 - confidence: if the machine is in some state in a larger share of
// runs than p, at least one of R = `runs` runs shows that state with this confidence.
double share_that_may_be_missed(std::size_t runs, double confidence = 0.95);

}  // namespace scalemark::statistics
