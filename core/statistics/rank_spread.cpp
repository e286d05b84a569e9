#include "core/statistics/rank_spread.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/statistics/median_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kLeastSpread = 0.005;

std::vector<double> without(std::vector<double> values, std::size_t rank) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(rank));
  return values;
}

std::vector<double> of_others(const Deviations& deviations, std::size_t rank) {
  std::vector<double> others;
  for (std::size_t r = 0; r < deviations.size(); ++r) {
    if (r != rank) others.insert(others.end(), deviations[r].begin(), deviations[r].end());
  }
  return others;
}

// By how much ranks differ from run to run: each rank's deviations around their mean.
double variance_of_runs(Deviations deviations, std::size_t rank) {
  const auto runs = static_cast<double>(deviations.front().size());
  if (runs < 2) return 0;
  for (auto& of_rank : deviations) {
    const double centre = mean(of_rank);
    for (double& value : of_rank) value -= centre;
  }
  const double spread = spread_by_median(of_others(deviations, rank));
  return spread * spread * runs / (runs - 1);
}

// The variance of D_r among healthy devices that differ by `device_spread`.
double variance_of_devices(std::size_t ranks, double device_spread) {
  const double of_median = std::min(1.0, std::numbers::pi / 2 / static_cast<double>(ranks - 1));
  return device_spread * device_spread * (1 + of_median);
}

double rank_spread_of(const std::vector<double>& values, double least) {
  return std::max(spread_by_median(values), least);
}

}  // namespace

std::vector<double> means_over_runs(const RunsOfRanks& runs) {
  std::vector<double> means(runs.front().size(), 0.0);
  for (const auto& run : runs) {
    for (std::size_t r = 0; r < run.size(); ++r) {
      means[r] += run[r] / static_cast<double>(runs.size());
    }
  }
  return means;
}

Deviations deviations_of(const RunsOfRanks& runs) {
  Deviations deviations(runs.front().size());
  for (const auto& run : runs) {
    for (std::size_t r = 0; r < run.size(); ++r) {
      deviations[r].push_back(run[r] - median(without(run, r)));
    }
  }
  return deviations;
}

Spreads spreads_of(const Deviations& deviations, const std::vector<double>& means, std::size_t rank,
                   double device_spread) {
  Spreads least{kLeastSpread, kLeastSpread};
  if (device_spread > 0) {
    const double devices = variance_of_devices(means.size(), device_spread);
    const double runs = variance_of_runs(deviations, rank);
    const auto count = static_cast<double>(deviations.front().size());
    least = {std::max(kLeastSpread, std::sqrt(devices + runs / count)),
             std::max(kLeastSpread, std::sqrt(devices + runs))};
  }
  return {rank_spread_of(without(means, rank), least.of_means),
          rank_spread_of(of_others(deviations, rank), least.of_runs)};
}

}  // namespace scalemark::statistics
