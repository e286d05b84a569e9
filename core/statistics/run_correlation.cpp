#include "core/statistics/run_correlation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/statistics/mean_interval.h"
#include "core/statistics/sums.h"

namespace scalemark::statistics {
namespace {

constexpr double kCorrelationLevel = 0.05;
constexpr double kMostCorrelated = 0.99;

std::vector<TimedRun> in_time_order(std::span<const TimedRun> runs) {
  std::vector<TimedRun> ordered(runs.begin(), runs.end());
  std::ranges::stable_sort(ordered, {}, &TimedRun::at_s);
  return ordered;
}

// Values around the mean of their point.
std::vector<double> centred(std::span<const TimedRun> runs, std::vector<double> values,
                            const std::map<std::size_t, double>& counts) {
  std::map<std::size_t, double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    means[runs[i].point] += values[i] / counts.at(runs[i].point);
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= means[runs[i].point];
  return values;
}

// sum over i of M_i,i+1 for the fit's M = 1 - means of points - slope over `time`.
double neighbours_of_fit(std::span<const TimedRun> runs, const std::vector<double>& time,
                         const std::map<std::size_t, double>& counts) {
  double sum = -sum_over_neighbours(time) / dot(time, time);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i - 1].point == runs[i].point) sum -= 1 / counts.at(runs[i].point);
  }
  return sum;
}

}  // namespace

std::optional<RunCorrelation> correlation_of_runs(std::span<const TimedRun> runs) {
  const auto ordered = in_time_order(runs);
  std::map<std::size_t, double> counts;
  std::vector<double> times, logs;
  for (const TimedRun& run : ordered) {
    ++counts[run.point];
    times.push_back(run.at_s);
    logs.push_back(std::log(run.samples_per_sec));
  }
  if (ordered.size() < counts.size() + 3) return std::nullopt;
  const auto time = centred(ordered, times, counts);
  auto residuals = centred(ordered, logs, counts);
  const double time_squares = dot(time, time);
  if (!(time_squares > 0)) return std::nullopt;
  const double slope = dot(time, residuals) / time_squares;
  for (std::size_t i = 0; i < time.size(); ++i) residuals[i] -= slope * time[i];
  const double squares = dot(residuals, residuals);
  if (!(squares > 0)) return std::nullopt;

  const auto n = static_cast<double>(ordered.size());
  const double degrees = n - static_cast<double>(counts.size()) - 1;
  const double expected = neighbours_of_fit(ordered, time, counts) / degrees;
  const double above = sum_over_neighbours(residuals) / squares - expected;
  return RunCorrelation{std::clamp(above, -kMostCorrelated, kMostCorrelated),
                        above * std::sqrt(n) > normal_quantile(1 - kCorrelationLevel)};
}

std::optional<double> interval_growth(std::span<const double> places, double lag1) {
  const auto runs = static_cast<double>(places.size());
  double variance = 0;  // of the mean, by that of independent runs
  for (const double one : places) {
    for (const double other : places) variance += std::pow(lag1, std::abs(one - other)) / runs;
  }
  if (places.size() < 2 || !(variance < runs)) return std::nullopt;
  return std::sqrt(variance * (runs - 1) / (runs - variance));
}

}  // namespace scalemark::statistics
