#include "core/statistics/median_interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kMadToSpread = 1.4826;

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
