#include "core/statistics/steadiness/decay_fit.h"

#include <algorithm>
#include <cmath>

#include "core/statistics/summary.h"
#include "core/statistics/sums.h"

namespace scalemark::statistics {
namespace {

constexpr double kMostStepCorrelation = 0.99;
constexpr double kRounding = 1e-24;  // of the sum of squares

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

// Variance of a direction of low frequency.
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
