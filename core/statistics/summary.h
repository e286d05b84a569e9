// A series of measured values in a few numbers, and intervals for its mean and its median. Knows
// nothing of what was measured.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

// The sum of the products of two series of equal length.
inline double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The sum of the products of each value and the one before it; at least one value.
inline double sum_over_neighbours(std::span<const double> values) {
  return dot(values.first(values.size() - 1), values.subspan(1));
}

inline constexpr std::int64_t kValuesForP95 = 200;
inline constexpr std::int64_t kValuesForP99 = 1000;

struct Summary {  // in the unit of the values
  std::int64_t n = 0;
  double mean = 0;
  std::optional<double> p50, min, max;  // unset where the values are means: summarise_means()
  std::optional<double> p95, p99;       // unset where too few values stand above them
  std::optional<double> stdev;          // over n - 1; one value has none
};

// Throws bug() for an empty series: it has no mean.
Summary summarise(std::span<const double> values);

// Gives the number and the mean of values each of which is the mean of several. How far single
// values spread is not known, and the spread of means is another number.
Summary summarise_means(std::span<const double> means);

// Quantile of type 7 (Hyndman and Fan 1996; what numpy and R do by default): linear between the
// order statistics around (n - 1) p. `sorted` is ascending and not empty, p lies in [0, 1].
double quantile_of_sorted(std::span<const double> sorted, double p);

double mean(std::span<const double> values);
double sum_of_squares(std::span<const double> values, double centre);

// Means of consecutive batches of `length`; a short tail is left out, not averaged.
std::vector<double> batch_means(std::span<const double> values, std::size_t length);

// Correlation of neighbours around the common mean; 0 for a constant series.
double lag1_correlation(std::span<const double> values);

struct Interval {
  double low;
  double high;
};

// False also for the ends of an interval that no double can hold: values that differ by orders of
// magnitude have such intervals.
inline bool is_finite(const std::optional<Interval>& interval) {
  return interval && std::isfinite(interval->low) && std::isfinite(interval->high);
}

// An interval that need not be known: both ends or none.
struct Bounds {
  std::optional<double> low, high;
  explicit operator bool() const { return low && high; }
  bool operator==(const Bounds&) const = default;
};

// Returns no bounds where no number can hold the interval.
inline Bounds bounds_of(const std::optional<Interval>& interval) {
  return is_finite(interval) ? Bounds{interval->low, interval->high} : Bounds{};
}

// 95 % interval of the mean of one run's step times, in the unit of `samples`.
//
// Steps of one run are correlated, so their number overstates what is known: the series is cut into
// batches whose means are nearly independent, and Student's t is taken over those. Batches double
// in length while neighbouring means still correlate above 0.3.
//
// Empty when fewer than kMinBatches batches can be formed: too little was measured to say anything.
// Source: STATISTICS.md, "Within one run" (batch means; coverage simulated there).
std::optional<Interval> batch_means_interval(std::span<const double> samples);

inline constexpr int kMinBatches = 10;

// How well the steps of one run show their mean, by its size: how much a run's rate varies because
// it has a finite number of steps. From five batches: they are longer, and so less correlated, than
// those of the interval, and several runs together make up for their small number.
struct StepNoise {
  double variance = 0;      // variance of ln mean: squared standard error / squared mean
  std::size_t degrees = 0;  // degrees of freedom: batches - 1
};

// Returns nullopt for fewer than 20 steps, and for a mean that is not above 0.
std::optional<StepNoise> step_noise(std::span<const double> samples);

// Student's t interval of the mean of independent values, the one place that turns a spread into an
// interval: mean +- t((1 + confidence) / 2, n - 1) s / sqrt(n), in the unit of the values. Absent
// for fewer than two values: one value has no spread.
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

// The interval of the values whose natural logarithms make up `logarithms`.
Interval exponential(const Interval& logarithms);

// `centre` is the mean of `values`, of which there are two or more.
double standard_error(std::span<const double> values, double centre);

double median(std::span<const double> values);  // needs a value

// Makes the median absolute deviation (MAD) of normal values their standard deviation.
inline constexpr double kMadToSpread = 1.4826;

// 1.4826 x the median absolute deviation: the standard deviation of normal values, which a minority
// of other values hardly moves. In the unit of the values, of which there must be one.
double spread_by_median(std::span<const double> values);

// The interval of the median without any assumption about the distribution of the values: between
// two order statistics, which hold the median of any continuous distribution with at least
// `confidence` (David and Nagaraja 2003, section 7.1). Absent for too few values: fewer than 6 at
// 95 %.
std::optional<Interval> median_interval(std::span<const double> values, double confidence = 0.95);

}  // namespace scalemark::statistics
