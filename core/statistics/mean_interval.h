// Student's t interval of the mean of independent values: the one place that turns a spread into an
// interval. Knows nothing of what was measured.
#pragma once

#include <optional>
#include <span>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

// mean +- t((1 + confidence) / 2, n - 1) s / sqrt(n), in the unit of the values. Absent for fewer
// than two values: one value has no spread.
std::optional<Interval> mean_interval(std::span<const double> values, double confidence = 0.95);

// mean - t(confidence, n - 1) s / sqrt(n): the one-sided bound. Absent for fewer than two values.
std::optional<double> mean_lower_bound(std::span<const double> values, double confidence = 0.95);

// Quantile of Student's t distribution. p in (0, 1), degrees > 0 (Welch's are no whole number).
double students_t_quantile(double p, double degrees);

// P(|t| >= |value|).
double students_t_two_sided(double value, double degrees);

// Its natural logarithm, also where no double holds P: x^a (1 - x)^b / (a B(a, b)) times the series
// of (a + b)_k / (a + 1)_k x^k, with a = degrees / 2, b = 1 / 2, x = degrees / (degrees + value^2).
// Source: NIST Digital Library of Mathematical Functions, 8.17.8.
double ln_students_t_two_sided(double value, double degrees);

// Quantile of the standard normal distribution, p in (0, 1).
double normal_quantile(double p);

// P(Z >= value) of the standard normal distribution.
double normal_upper_tail(double value);

// Of what the values of `logarithms` are the natural logarithms of.
Interval exponential(const Interval& logarithms);

// Of the mean `centre` of two values or more.
double standard_error(std::span<const double> values, double centre);

}  // namespace scalemark::statistics
