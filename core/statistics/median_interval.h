// The median of few values, and its interval without any assumption about their distribution.
#pragma once

#include <optional>
#include <span>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

double median(std::span<const double> values);  // not of none

// Between two order statistics, which hold the median of any continuous distribution with at least
// `confidence` (David and Nagaraja 2003, section 7.1). Absent for too few values: fewer than 6 at
// 95 %.
std::optional<Interval> median_interval(std::span<const double> values, double confidence = 0.95);

}  // namespace scalemark::statistics
