#include "core/statistics/steadiness/decay_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/base/error.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr int kCosines = 11;
constexpr double kTrendLengths[] = {0.05, 0.2};

template <class Function>
Column column_of(std::size_t points, Function function) {
  Column column(points);
  for (std::size_t i = 0; i < points; ++i) {
    column[i] = function((static_cast<double>(i) + 0.5) / static_cast<double>(points));
  }
  return column;
}

Column decay_of(std::size_t points, double length) {
  return column_of(points, [&](double x) { return std::exp(-x / length); });
}

void remove(Column& column, const Column& unit) {
  const double part = dot(column, unit);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] -= part * unit[i];
}

// Removes them twice: the first pass leaves rounding errors of what it takes off.
void remove_all(Column& column, const std::vector<Column>& units) {
  for (int pass = 0; pass < 2; ++pass) {
    for (const Column& unit : units) remove(column, unit);
  }
}

void scale_to_one(Column& column) {
  const double length = std::sqrt(dot(column, column));
  for (double& value : column) value /= length;
}

std::vector<Column> trend_of(std::size_t points) {
  std::vector<Column> trend{column_of(points, [](double) { return 1.0; }),
                            column_of(points, [](double x) { return x - 0.5; })};
  for (const double length : kTrendLengths) trend.push_back(decay_of(points, length));
  std::vector<Column> units;
  for (Column& column : trend) {
    remove_all(column, units);
    scale_to_one(column);
    units.push_back(std::move(column));
  }
  return units;
}

std::vector<Column> cosines_without(const std::vector<Column>& trend) {
  std::vector<Column> cosines;
  for (int k = 1; k <= kCosines; ++k) {
    cosines.push_back(column_of(trend.front().size(),
                                [&](double x) { return std::cos(std::numbers::pi * k * x); }));
    remove_all(cosines.back(), trend);
  }
  return cosines;
}

// A QR decomposition: takes the longest column, then the longest of what is left of the others.
std::vector<Column> longest_first(std::vector<Column> columns, std::size_t count) {
  std::vector<Column> units;
  while (units.size() < count) {
    const auto longest =
        std::ranges::max_element(columns, {}, [](const Column& c) { return dot(c, c); });
    Column unit = std::move(*longest);
    columns.erase(longest);
    remove_all(unit, units);
    scale_to_one(unit);
    for (Column& column : columns) remove(column, unit);
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace

DecayBasis decay_basis(std::size_t points) {
  if (points < kFewestPoints) {
    throw bug("decays in " + std::to_string(points) + " points, at least " +
              std::to_string(kFewestPoints) + " needed");
  }
  DecayBasis basis;
  for (std::size_t k = 0; k < kDecays; ++k) {
    Decay& decay = basis.decays[k];
    decay.shape = decay_of(points, kDecayLengths[k]);
    decay.mean = mean(decay.shape);
    for (double& value : decay.shape) value -= decay.mean;
    decay.squares = dot(decay.shape, decay.shape);
  }
  basis.trend = trend_of(points);
  basis.noise = longest_first(cosines_without(basis.trend), kNoiseDirections);
  return basis;
}

namespace {

constexpr double kMostStepCorrelation = 0.99;
constexpr double kRounding = 1e-24;  // residuals with a smaller share of the squares are rounding

Column without_trend(const DecayBasis& basis, const Column& values) {
  Column rest = values;
  for (const Column& unit : basis.trend) {
    const double part = dot(unit, values);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= part * unit[i];
  }
  return rest;
}

double correlation_of(const Column& residuals, const Column& values, double parameters) {
  const double squares = dot(residuals, residuals);
  if (squares <= kRounding * dot(values, values)) return 0;
  const double phi = sum_over_neighbours(residuals) / squares;
  const auto n = static_cast<double>(residuals.size());
  return std::clamp(phi + (parameters + 4 * phi) / n, 0.0, kMostStepCorrelation);
}

double shrunk(std::size_t n, double phi) { return static_cast<double>(n) * (1 - phi) / (1 + phi); }

// The mean variance along the noise directions, which are of low frequency.
double noise_in(const DecayBasis& basis, const Column& values) {
  double sum = 0;
  for (const Column& direction : basis.noise) {
    const double part = dot(direction, values);
    sum += part * part;
  }
  return sum / static_cast<double>(basis.noise.size());
}

double noise_of_ar1(const Column& residuals, double phi, double parameters) {
  const double variance =
      dot(residuals, residuals) / (static_cast<double>(residuals.size()) - parameters);
  return variance * (1 + phi) / (1 - phi);
}

}  // namespace

double independent_values(const Column& residuals, const Column& values, double parameters) {
  return shrunk(residuals.size(), correlation_of(residuals, values, parameters));
}

DecayFit fit_decays(const DecayBasis& basis, const Column& values) {
  const Column residuals = without_trend(basis, values);
  const auto parameters = static_cast<double>(basis.trend.size());
  const double phi = correlation_of(residuals, values, parameters);
  DecayFit fit{.independent_values = shrunk(values.size(), phi)};
  double noise = noise_in(basis, values);
  if (fit.independent_values < kFewestIndependent) {
    noise = std::max(noise, noise_of_ar1(residuals, phi, parameters));
  }
  const double level = mean(values);
  for (std::size_t k = 0; k < kDecays; ++k) {
    const Decay& decay = basis.decays[k];
    const double height_to_bias = decay.mean / level;
    fit.bias[k] = dot(decay.shape, values) / decay.squares * height_to_bias;
    fit.error[k] = std::sqrt(noise / decay.squares) * height_to_bias;
  }
  return fit;
}

std::optional<std::size_t> clear_decay(const DecayFit& fit, double t, const OfDecays& size) {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < kDecays; ++k) {
    const double bias = std::abs(fit.bias[k]);
    if (std::abs(size[k]) <= kBiasThatCounts || bias <= t * fit.error[k]) continue;
    if (!best || bias * fit.error[*best] > std::abs(fit.bias[*best]) * fit.error[k]) best = k;
  }
  return best;
}

BiasBound largest_bound(const OfDecays& bias, const OfDecays& error, double t) {
  BiasBound bound;
  for (std::size_t k = 0; k < kDecays; ++k) {
    const double most = std::abs(bias[k]) + t * error[k];
    if (most > bound.bias) bound = {k, most};
  }
  return bound;
}

}  // namespace scalemark::statistics
