#include "core/statistics/summary.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/error.h"

namespace scalemark::statistics {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sum_of_squares(std::span<const double> values, double centre) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [=](double sum, double v) { return sum + (v - centre) * (v - centre); });
}

std::vector<double> batch_means(std::span<const double> values, std::size_t length) {
  std::vector<double> means;
  for (; values.size() >= length; values = values.subspan(length)) {
    means.push_back(mean(values.first(length)));
  }
  return means;
}

double lag1_correlation(std::span<const double> values) {
  const double centre = mean(values);
  const double spread = sum_of_squares(values, centre);
  if (spread == 0) return 0;
  double together = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    together += (values[i - 1] - centre) * (values[i] - centre);
  }
  return together / spread;
}

double quantile_of_sorted(std::span<const double> sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - std::floor(position));
}

Summary summarise_means(std::span<const double> means) {
  if (means.empty()) throw bug("summarise_means() was given an empty series");
  return {.n = static_cast<std::int64_t>(means.size()), .mean = mean(means)};
}

Summary summarise(std::span<const double> values) {
  if (values.empty()) throw bug("summarise() was given an empty series");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());

  Summary summary;
  summary.n = static_cast<std::int64_t>(values.size());
  summary.mean = mean(values);
  summary.p50 = quantile_of_sorted(sorted, 0.5);
  summary.min = sorted.front();
  summary.max = sorted.back();
  if (summary.n >= kValuesForP95) summary.p95 = quantile_of_sorted(sorted, 0.95);
  if (summary.n >= kValuesForP99) summary.p99 = quantile_of_sorted(sorted, 0.99);
  if (summary.n >= 2) {
    summary.stdev =
        std::sqrt(sum_of_squares(values, summary.mean) / static_cast<double>(summary.n - 1));
  }
  return summary;
}

namespace {

constexpr double kIndependentEnough = 0.3;
constexpr std::size_t kNoiseBatches = 5, kStepsForNoise = 20;

}  // namespace

std::optional<Interval> batch_means_interval(std::span<const double> samples) {
  auto length = std::max<std::size_t>(1, samples.size() / (2 * kMinBatches));
  auto means = batch_means(samples, length);
  while (means.size() >= 2 * kMinBatches && lag1_correlation(means) > kIndependentEnough) {
    length *= 2;
    means = batch_means(samples, length);
  }
  if (means.size() < kMinBatches) return std::nullopt;

  return mean_interval(means);
}

std::optional<StepNoise> step_noise(std::span<const double> samples) {
  if (samples.size() < kStepsForNoise) return std::nullopt;
  auto means = batch_means(samples, samples.size() / kNoiseBatches);
  means.resize(kNoiseBatches);  // steps that are left over may have filled a sixth
  const double centre = mean(means);
  constexpr double kCount = kNoiseBatches;
  const double variance = sum_of_squares(means, centre) / (kCount - 1) / kCount / (centre * centre);
  if (!(centre > 0) || !std::isfinite(variance)) return std::nullopt;
  return StepNoise{variance, kNoiseBatches - 1};
}

namespace {

double degrees_of(std::span<const double> values) { return static_cast<double>(values.size() - 1); }

}  // namespace

double standard_error(std::span<const double> values, double centre) {
  const auto n = static_cast<double>(values.size());
  return std::sqrt(sum_of_squares(values, centre) / (n - 1) / n);
}

std::optional<Interval> mean_interval(std::span<const double> values, double confidence) {
  if (values.size() < 2) return std::nullopt;
  const double centre = mean(values);
  const double half_width = students_t_quantile((1 + confidence) / 2, degrees_of(values)) *
                            standard_error(values, centre);
  return Interval{centre - half_width, centre + half_width};
}

std::optional<double> mean_lower_bound(std::span<const double> values, double confidence) {
  if (values.size() < 2) return std::nullopt;
  const double centre = mean(values);
  return centre -
         students_t_quantile(confidence, degrees_of(values)) * standard_error(values, centre);
}

double students_t_quantile(double p, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

double students_t_two_sided(double value, double degrees) {
  const boost::math::students_t distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(value)));
}

double ln_students_t_two_sided(double value, double degrees) {
  const double p = students_t_two_sided(value, degrees);
  constexpr double kHeldWell = 1e-280;
  if (p > kHeldWell) return std::log(p);
  const double a = degrees / 2, b = 0.5, x = degrees / (degrees + value * value);
  double term = 1, sum = 1;
  for (double k = 0; term > 1e-17 * sum; ++k) {
    term *= (a + b + k) / (a + 1 + k) * x;
    sum += term;
  }
  const double ln_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  return a * std::log(x) + b * std::log1p(-x) - std::log(a) - ln_beta + std::log(sum);
}

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

double normal_upper_tail(double value) {
  return boost::math::cdf(boost::math::complement(boost::math::normal(), value));
}

Interval exponential(const Interval& logarithms) {
  return {std::exp(logarithms.low), std::exp(logarithms.high)};
}

namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> all(values.begin(), values.end());
  std::ranges::sort(all);
  return all;
}

// How many values may be left out at either end: the most of which both together miss the median
// with at most 1 - confidence. P(fewer than k of n values below it) is binomial with p = 1/2.
std::size_t left_out(std::size_t n, double confidence) {
  double term = std::pow(0.5, static_cast<double>(n)), below = 0;
  std::size_t k = 0;
  while (2 * (below + term) <= 1 - confidence) {
    below += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

}  // namespace

double median(std::span<const double> values) { return quantile_of_sorted(sorted(values), 0.5); }

double spread_by_median(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - centre));
  return kMadToSpread * median(distances);
}

std::optional<Interval> median_interval(std::span<const double> values, double confidence) {
  const std::size_t k = left_out(values.size(), confidence);
  if (k == 0) return std::nullopt;
  const auto all = sorted(values);
  return Interval{all[k - 1], all[all.size() - k]};
}

}  // namespace scalemark::statistics
