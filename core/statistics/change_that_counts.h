// When a change of a rate counts: the one definition of "2 %", for effects and for old against new.
// It is of the ratio, as people say it: from 0.98 down and from 1.02 up. Knows nothing of what was
// measured.
#pragma once

#include <cmath>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

inline constexpr double kChangeThatCounts = 0.02;

// Whether |exp(log_ratio) - 1| >= threshold.
inline bool change_counts(double log_ratio, double threshold = kChangeThatCounts) {
  return std::abs(std::expm1(log_ratio)) >= threshold;
}

// Whether no change in `log_ratios` counts: both ends lie within +-threshold of a ratio of 1.
inline bool none_counts(const Interval& log_ratios, double threshold = kChangeThatCounts) {
  return -threshold < std::expm1(log_ratios.low) && std::expm1(log_ratios.high) < threshold;
}

// Whether each change in `log_ratios` exceeds the threshold, on the same side.
inline bool all_exceed(const Interval& log_ratios, double threshold = kChangeThatCounts) {
  return std::expm1(log_ratios.low) > threshold || std::expm1(log_ratios.high) < -threshold;
}

}  // namespace scalemark::statistics
