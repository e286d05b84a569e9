#include "core/statistics/steadiness/change_point.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/statistics/steadiness/decay_fit.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kBatches = 20;
constexpr std::size_t kFewestBatches = 2;  // on either side of a change
constexpr double kMostOfNeighbours = 0.9;

std::size_t begin_of(std::size_t batch, std::size_t values) { return batch * values / kBatches; }

// Every value counts: the batches differ by one value where the series is no multiple of 20.
Column means_of_batches(std::span<const double> values) {
  Column means;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const std::size_t begin = begin_of(i, values.size());
    means.push_back(mean(values.subspan(begin, begin_of(i + 1, values.size()) - begin)));
  }
  return means;
}

// Returns the residuals of a series around its two levels, which change before index `first`.
Column around_levels(std::span<const double> values, std::size_t first) {
  const double before = mean(values.first(first)), after = mean(values.subspan(first));
  Column rest;
  for (std::size_t i = 0; i < values.size(); ++i) {
    rest.push_back(values[i] - (i < first ? before : after));
  }
  return rest;
}

// The index in [from, to) before which a change leaves the smallest sum of squares around the two
// levels: where the cumulated sum is farthest from that of one level.
std::size_t best_place(std::span<const double> values, std::size_t from, std::size_t to) {
  const auto n = static_cast<double>(values.size());
  const double level = mean(values);
  double cumulated = 0, largest = -1;
  std::size_t best = from;
  for (std::size_t k = 1; k < to; ++k) {
    cumulated += values[k - 1] - level;
    const auto before = static_cast<double>(k);
    const double explained = cumulated * cumulated * n / (before * (n - before));
    if (k >= from && explained > largest) {
      largest = explained;
      best = k;
    }
  }
  return best;
}

// Independent residuals have r of about -2 / 20 in the mean, since two levels were fitted.
double variance_inflation(const Column& rest) {
  const double squares = dot(rest, rest);
  if (!(squares > 0)) return 1;
  const double r =
      std::clamp(sum_over_neighbours(rest) / squares + 2.0 / kBatches, 0.0, kMostOfNeighbours);
  return (1 + r) / (1 - r);
}

bool is_beyond_noise(const Column& means, std::size_t place) {
  const std::span<const double> all(means);
  const Column rest = around_levels(all, place);
  const double shift = mean(all.subspan(place)) - mean(all.first(place));
  const auto before = static_cast<double>(place), after = static_cast<double>(kBatches - place);
  const double variance =
      dot(rest, rest) / (kBatches - 2) * (1 / before + 1 / after) * variance_inflation(rest);
  return shift * shift > kChangeLimit * variance;
}

// The sum of squares that is left when a constant and a multiple of `shape` are fitted.
double left_by(const Column& means, Column shape) {
  const double centre = mean(shape);
  for (double& value : shape) value -= centre;
  const double part = dot(shape, means);
  return sum_of_squares(means, mean(means)) - part * part / dot(shape, shape);
}

bool fits_better_than_trends(const DecayBasis& basis, const Column& means, std::size_t place) {
  const Column rest = around_levels(means, place);
  const double left = dot(rest, rest);
  const auto loses_to = [&](const Column& shape) {
    return left_by(means, means_of_batches(shape)) <= left;
  };
  return !loses_to(basis.trend[1]) && std::ranges::none_of(basis.decays, [&](const Decay& decay) {
    return loses_to(decay.shape);
  });
}

}  // namespace

std::optional<ChangePoint> most_likely_change(const DecayBasis& basis, const Column& values) {
  if (values.size() < kFewestForChange) return std::nullopt;
  const Column means = means_of_batches(values);
  const std::size_t batch = best_place(means, kFewestBatches, kBatches - kFewestBatches + 1);
  const std::size_t first = best_place(values, begin_of(batch - 1, values.size()) + 1,
                                       begin_of(batch + 1, values.size()));
  const std::span<const double> all(values);
  const double before = mean(all.first(first)), after = mean(all.subspan(first));
  const double longer = 2 * first >= values.size() ? before : after;
  ChangePoint change{
      .first = first,
      .change = after / before - 1,
      .bias = mean(values) / longer - 1,
      .independent_values = independent_values(around_levels(values, first), values, 2)};
  change.is_found = std::abs(change.bias) > kBiasThatCounts && is_beyond_noise(means, batch) &&
                    fits_better_than_trends(basis, means, batch);
  return change;
}

namespace {

constexpr double kMadToStandardDeviation = 1.4826;
constexpr double kClippedAt = 6;  // standard deviations

// Takes linear time: windows may hold 100,000 steps.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

std::vector<double> clipped(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  const double centre = median(result);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - centre));
  const double most = kClippedAt * kMadToStandardDeviation * median(std::move(distances));
  if (most > 0) {
    for (double& value : result) value = std::clamp(value, centre - most, centre + most);
  }
  return result;
}

}  // namespace scalemark::statistics
