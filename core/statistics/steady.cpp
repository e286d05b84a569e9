#include "core/statistics/steady.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kHalf = 10;
constexpr double kIndependentEnough = 0.3;
constexpr double kDriftThatCounts = 0.005;
constexpr double kResolution = 0.01;

std::string percent(double fraction, const char* format = "%.2f %%") {
  char text[32];
  std::snprintf(text, sizeof text, format, 100 * fraction);
  return text;
}

double lag1_within_halves(std::vector<double> means, double first, double second) {
  for (std::size_t i = 0; i < kHalf; ++i) {
    means[i] -= first;
    means[kHalf + i] -= second;
  }
  return lag1_correlation(means);
}

// Every step counts: the batches differ by one step where the window is no multiple of 20.
std::vector<double> means_of_twentieths(std::span<const double> step_s) {
  constexpr std::size_t kBatches = 2 * kHalf;
  std::vector<double> means;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const std::size_t begin = i * step_s.size() / kBatches;
    const std::size_t end = (i + 1) * step_s.size() / kBatches;
    means.push_back(mean(step_s.subspan(begin, end - begin)));
  }
  return means;
}

// Verdict and reason for a drift that was seen.
void judge_drift(SteadyCheck& check, std::size_t steps) {
  const std::string seen =
      "steps of the second half differ by " + percent(*check.drift, "%+.2f %%");
  if (steps < kStepsForUnsteady) {
    check.reason =
        seen + ", but " + std::to_string(steps) + " steps (< 400) are too few to be sure";
  } else if (*check.lag1 > kIndependentEnough) {
    check.reason = seen + ", but neighbouring steps are too correlated to be sure";
  } else {
    check.steady = false;
    check.reason = seen;
  }
}

}  // namespace

SteadyCheck check_steady(std::span<const double> step_s) {
  SteadyCheck check;
  if (step_s.size() < kStepsForSteady) {
    check.reason = "fewer than 20 steps";
    return check;
  }
  const auto means = means_of_twentieths(step_s);
  const std::span<const double> halves(means);
  const auto a = halves.first(kHalf), b = halves.subspan(kHalf, kHalf);
  const double m1 = mean(a), m2 = mean(b), centre = (m1 + m2) / 2;
  const double variance = (sum_of_squares(a, m1) + sum_of_squares(b, m2)) / (2 * kHalf - 2);
  const double t = boost::math::quantile(boost::math::students_t(2 * kHalf - 2), 0.995);

  check.drift = (m2 - m1) / centre;
  check.t_se = t * std::sqrt(variance * 2 / kHalf) / centre;
  check.lag1 = lag1_within_halves(means, m1, m2);

  if (std::abs(*check.drift) > *check.t_se && std::abs(*check.drift) > kDriftThatCounts) {
    judge_drift(check, step_s.size());
  } else if (*check.t_se > kResolution) {
    check.reason = "steps vary too much: a drift below " + percent(*check.t_se) +
                   " could not be seen in this window";
  } else {
    check.steady = true;
    check.reason = "both halves agree within " + percent(*check.t_se);
  }
  return check;
}

}  // namespace scalemark::statistics
