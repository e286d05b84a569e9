#include "core/statistics/mean_interval.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
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

}  // namespace scalemark::statistics
