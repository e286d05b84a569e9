#include "core/statistics/runs.h"

#include <cmath>

#include "core/base/error.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw bug("a rate of " + std::to_string(value) + " reached the statistics over runs");
    }
    logs.push_back(std::log(value));
  }
  return logs;
}

RunsEstimate estimate_over_runs(std::span<const double> samples_per_sec) {
  if (samples_per_sec.empty()) throw bug("estimate_over_runs() was given no run");
  const std::vector<double> logs = logarithms(samples_per_sec);

  RunsEstimate estimate{.runs = logs.size(), .value = std::exp(mean(logs))};
  if (const auto interval = mean_interval(logs)) {
    estimate.ci95 = Interval{std::exp(interval->low), std::exp(interval->high)};
    estimate.half_width = (estimate.ci95->high - estimate.ci95->low) / 2 / estimate.value;
    const double centre = mean(samples_per_sec);
    const auto degrees = static_cast<double>(logs.size() - 1);
    estimate.cv_between = std::sqrt(sum_of_squares(samples_per_sec, centre) / degrees) / centre;
  }
  return estimate;
}

}  // namespace scalemark::statistics
