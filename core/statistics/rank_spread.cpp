#include "core/statistics/rank_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/statistics/median_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kLeastSpread = 0.005;                     // where the spread of devices is said
constexpr double kUsualSpread = 0.005, kUsualDegrees = 2;  // where it is not

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

// By how much the variance of a value's distance to the median of `others` values exceeds its own.
double lifted_by_median(std::size_t others) {
  return 1 + std::min(1.0, std::numbers::pi / 2 / static_cast<double>(others));
}

// The t distribution that a normal value has when it is divided by 1.4826 MAD of `others` normal
// values has so many degrees. A least-squares line through those of 2,000,000 simulated ones each:
// 0.9 of 3 values, 2.5 of 7, 5.5 of 15, 11.3 of 31, 23 of 63, for p from 0.05 to 1 %. Of an even
// number they are those of the next odd one, and one value has no spread.
double degrees_of_mad(std::size_t others) {
  if (others < 2) return 0;
  return 0.37 * static_cast<double>(others / 2 * 2 + 1) - 0.15;
}

// s^2 = (2 (0.5 %)^2 + d MAD^2) / (2 + d), lifted: what devices of one kind differ by at least
// counts as two degrees beside those of the few ranks that are there.
double moderated_spread(const std::vector<double>& values, std::size_t others) {
  const double own = spread_by_median(values), degrees = degrees_of_mad(others);
  return std::sqrt((kUsualDegrees * kUsualSpread * kUsualSpread + degrees * own * own) /
                   (kUsualDegrees + degrees) * lifted_by_median(others));
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
  const std::vector<double> of_means = without(means, rank), of_runs = of_others(deviations, rank);
  const std::size_t others = of_means.size();
  if (!(device_spread > 0)) {
    return {moderated_spread(of_means, others), moderated_spread(of_runs, others),
            kUsualDegrees + degrees_of_mad(others)};
  }
  const double devices = device_spread * device_spread * lifted_by_median(others);
  const double runs = variance_of_runs(deviations, rank);
  const auto count = static_cast<double>(deviations.front().size());
  return {std::max({kLeastSpread, std::sqrt(devices + runs / count), spread_by_median(of_means)}),
          std::max({kLeastSpread, std::sqrt(devices + runs), spread_by_median(of_runs)}),
          std::numeric_limits<double>::infinity()};
}

}  // namespace scalemark::statistics
