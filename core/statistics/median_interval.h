// The median of few values, the spread around it, and its interval without any assumption about
// their distribution.
#pragma once

#include <optional>
#include <span>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

double median(std::span<const double> values);  // not of none

// 1.4826 x the median absolute deviation: the standard deviation of normal values, which a minority
// of other values hardly moves. In the unit of the values, of which there must be one.
double spread_by_median(std::span<const double> values);

// Between two order statistics, which hold the median of any continuous distribution with at least
// `confidence` (David and Nagaraja 2003, section 7.1). Absent for too few values: fewer than 6 at
// 95 %.
std::optional<Interval> median_interval(std::span<const double> values, double confidence = 0.95);

}  // namespace scalemark::statistics
