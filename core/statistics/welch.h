// Do two sets of independent values have the same mean? Welch's t test, which lets the two sides
// spread differently. Knows nothing of what was measured.
#pragma once

#include <span>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

struct Welch {
  double difference = 0;  // mean(b) - mean(a)
  double standard_error = 0;
  double degrees = 0;  // of freedom, after Welch and Satterthwaite; no whole number
  double p = 1;        // two-sided

  Interval interval(double confidence) const;  // of the difference
  double half_width(double confidence) const;  // of that interval

  // (t(1 - level / 2) + t(power)) SE: about the smallest true difference that a two-sided test at
  // `level` finds with this probability, given the spread that was seen.
  double smallest_found(double level, double power) const;
};

// At least two values per side; throws bug() otherwise. Where neither side spreads, the difference
// is taken as known: p is 0, or 1 when there is none.
// Source: B. L. Welch, Biometrika 34 (1947).
Welch welch_test(std::span<const double> a, std::span<const double> b);

}  // namespace scalemark::statistics
