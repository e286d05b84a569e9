#include "core/statistics/welch.h"

#include <cmath>

#include "core/base/error.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

// s^2 / n
double variance_of_mean(std::span<const double> values, double centre) {
  const auto n = static_cast<double>(values.size());
  return sum_of_squares(values, centre) / (n - 1) / n;
}

}  // namespace

double Welch::half_width(double confidence) const {
  return students_t_quantile((1 + confidence) / 2, degrees) * standard_error;
}

Interval Welch::interval(double confidence) const {
  return {difference - half_width(confidence), difference + half_width(confidence)};
}

double Welch::smallest_found(double level, double power) const {
  return half_width(1 - level) + students_t_quantile(power, degrees) * standard_error;
}

Welch welch_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) throw bug("welch_test() needs two values per side");
  const double mean_a = mean(a), mean_b = mean(b);
  const double of_a = variance_of_mean(a, mean_a), of_b = variance_of_mean(b, mean_b);
  const auto degrees_a = static_cast<double>(a.size() - 1);
  const auto degrees_b = static_cast<double>(b.size() - 1);

  Welch test{.difference = mean_b - mean_a, .standard_error = std::sqrt(of_a + of_b)};
  if (test.standard_error == 0) {
    test.degrees = degrees_a + degrees_b;
    test.p = test.difference == 0 ? 1 : 0;
    return test;
  }
  test.degrees =
      (of_a + of_b) * (of_a + of_b) / (of_a * of_a / degrees_a + of_b * of_b / degrees_b);
  test.p = students_t_two_sided(test.difference / test.standard_error, test.degrees);
  return test;
}

}  // namespace scalemark::statistics
