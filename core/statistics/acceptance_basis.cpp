#include "core/statistics/acceptance_basis.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kPartsForMedianVariance = 8, kPartsForOneRun = 8;
constexpr double kSureOfLook = 0.995;  // the confidence of each bound of a look's interval
constexpr double kSureOfOneRun = 2.33;
constexpr double kMostPooledDegrees = 10;
constexpr double kUsualNoise = 0.999;  // the share of a class whose variance is no reason to doubt
// Values that agree to all digits have no logarithm, and one wild part says nothing of the others.
constexpr double kLeastOfMedian = 1e-3, kMostOfMedian = 30;
constexpr std::size_t kPartsForCorrelation = 16, kStartsForCorrelation = 3;
constexpr double kErrorOfCorrelation = 2.14, kSureOfCorrelation = 3, kMostCorrelation = 0.95;

double squared(double value) { return value * value; }

std::vector<double> means_of(std::span<const Repetitions> parts, std::size_t runs) {
  std::vector<double> means;
  for (const Repetitions part : parts) means.push_back(mean(part.first(runs)));
  return means;
}

std::vector<double> variances_of(std::span<const Repetitions> parts, std::size_t runs) {
  std::vector<double> variances;
  for (const Repetitions part : parts) {
    const Repetitions first = part.first(runs);
    variances.push_back(sum_of_squares(first, mean(first)) / static_cast<double>(runs - 1));
  }
  return variances;
}

// A few parts that vary much more than the others do not move the median, which is too rough an
// estimate for few parts. `prior`: see prior_degrees(); infinite: all have the same noise.
double pooled_variance(std::span<const double> variances, double degrees, double prior) {
  if (variances.size() < kPartsForMedianVariance) return mean(variances);
  const double middle =
      std::isinf(prior) ? boost::math::quantile(boost::math::chi_squared(degrees), 0.5) / degrees
                        : boost::math::quantile(boost::math::fisher_f(degrees, prior), 0.5);
  return median(variances) / middle;
}

// Uses Newton's method on 1 / trigamma, which is nearly a straight line (Smyth 2004, appendix).
double trigamma_inverse(double value) {
  double y = 0.5 + 1 / value;
  for (int k = 0; k < 50; ++k) {
    const double tri = boost::math::trigamma(y);
    const double step = tri * (1 - tri / value) / boost::math::polygamma(2, y);
    y += step;
    if (std::abs(step) < 1e-12 * y) break;
  }
  return y;
}

// The variance between parts of the difference between start `later` and start `earlier`, by the
// mean deviation from the median, which a common shift of the two does not move.
double variance_of_step(std::span<const Repetitions> parts, std::size_t earlier,
                        std::size_t later) {
  std::vector<double> steps;
  for (const Repetitions part : parts) steps.push_back(part[later] - part[earlier]);
  const double centre = median(steps);
  double sum = 0;
  for (const double step : steps) sum += std::abs(step - centre);
  return squared(sum / static_cast<double>(steps.size())) * std::numbers::pi / 2;
}

double error_of_kth(std::span<const double> values, double kth, double error) {
  double count_varies_by = 0, count_falls_by = 0;
  for (const double value : values) {
    const double z = (value - kth) / error;
    const double below = normal_upper_tail(z);
    count_varies_by += below * (1 - below);
    count_falls_by += std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  }
  return error * std::min(1.0, std::sqrt(count_varies_by) / count_falls_by);
}

// With one run per part the noise shows only in how far the parts are from each other.
void take_noise_of_one_run(AcceptanceBasis& basis, std::span<const double> values) {
  basis.degrees = 1;  // one run has no variance of its own to be averaged with
  if (values.size() >= kPartsForOneRun) basis.variance = squared(spread_by_median(values));
}

void take_noise(AcceptanceBasis& basis, std::span<const Repetitions> parts, std::size_t runs) {
  const auto others = static_cast<double>(parts.size() - 1), own = static_cast<double>(runs - 1);
  const std::vector<double> variances = variances_of(parts, runs);
  const double most = std::min(kMostPooledDegrees, others * own / 2);
  double prior = std::numeric_limits<double>::infinity();
  if (parts.size() >= kPartsForMedianVariance) prior = prior_degrees(variances, own);
  if (prior >= most) prior = std::numeric_limits<double>::infinity();
  basis.variance = pooled_variance(variances, own, prior);
  basis.degrees = std::min(most, prior);
  basis.correlation = correlation_of_starts(parts, runs);
}

double growth_of_error(const AcceptanceBasis& basis, std::size_t runs) {
  if (basis.correlation <= 0 || runs < 2) return 1;
  std::vector<double> places;
  for (std::size_t k = 0; k < runs; ++k) places.push_back(static_cast<double>(k));
  return interval_growth(places, basis.correlation).value_or(1);
}

// All parts have the first `runs` repetitions.
AcceptanceBasis basis_of(std::span<const Repetitions> parts, std::size_t runs,
                         const std::optional<AcceptanceReference>& baseline) {
  AcceptanceBasis basis{.reached_by_all = true, .reference = baseline};
  if (parts.empty()) return basis;
  const std::vector<double> means = means_of(parts, runs);
  if (runs == 1) {
    take_noise_of_one_run(basis, means);
  } else {
    take_noise(basis, parts, runs);
  }
  if (!baseline && parts.size() >= kPartsForReference) {
    const double error = runs == 1 ? 0
                                   : growth_of_error(basis, runs) *
                                         std::sqrt(*basis.variance / static_cast<double>(runs));
    basis.reference = reference_of_fleet(means, error);
  }
  return basis;
}

// Quantiles cost more than all else, and are the same for all parts.
void set_limits(AcceptanceBasis& basis) {
  basis.factor =
      basis.runs == 1 ? kSureOfOneRun : students_t_quantile(kSureOfLook, basis.all_degrees());
  basis.most_usual = std::numeric_limits<double>::max();
  if (basis.runs == 1 || !(basis.degrees > 0)) return;
  const boost::math::fisher_f of_class(static_cast<double>(basis.runs - 1), basis.degrees);
  basis.most_usual = boost::math::quantile(of_class, kUsualNoise);
}

bool have_reached(std::span<const Repetitions> parts, std::size_t look) {
  return std::ranges::all_of(parts, [=](Repetitions part) { return part.size() >= look; });
}

}  // namespace

double kth_highest(std::span<const double> values) {
  const std::size_t k = parts_that_reach(values.size());
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted, std::greater<>());
  return sorted[k - 1];
}

std::vector<AcceptanceBasis> acceptance_bases(std::span<const Repetitions> parts,
                                              std::span<const std::size_t> looks,
                                              const std::optional<AcceptanceReference>& baseline) {
  std::vector<AcceptanceBasis> bases;
  for (const std::size_t look : looks) {
    if (bases.empty() || have_reached(parts, look)) {
      bases.push_back(basis_of(parts, look, baseline));
    } else {
      bases.push_back(bases.back());
      bases.back().reached_by_all = false;
    }
    AcceptanceBasis& basis = bases.back();
    basis.runs = look;
    set_limits(basis);
  }
  return bases;
}

AcceptanceReference reference_of_fleet(std::span<const double> values, double error) {
  AcceptanceReference reference{.ln_value = kth_highest(values)};
  if (!(error > 0)) return reference;
  reference.standard_error = error_of_kth(values, reference.ln_value, error);
  const double spread = std::max(error, spread_by_median(values));
  reference.lifted_by = normal_quantile(1 - kShareThatReaches) * squared(error) / spread;
  return reference;
}

double prior_degrees(std::span<const double> variances, double degrees) {
  const double least = kLeastOfMedian * median(variances);
  if (!(least > 0)) return std::numeric_limits<double>::infinity();
  std::vector<double> logs;
  const double most = kMostOfMedian * median(variances);
  for (const double variance : variances)
    logs.push_back(std::log(std::clamp(variance, least, most)));
  const double centre = mean(logs), squares = sum_of_squares(logs, centre);
  const auto count = static_cast<double>(logs.size());
  const double spread = squares / (count - 1);
  if (!(spread > 0)) return std::numeric_limits<double>::infinity();
  double fourth = 0;
  for (const double one : logs) fourth += squared(squared(one - centre)) / count;
  const double kurtosis = fourth / squared(squares / count) - 3;
  const double error = spread * std::sqrt(2 / (count - 1) + std::max(0.0, kurtosis) / count);
  const double beyond = spread - error - boost::math::trigamma(degrees / 2);
  if (beyond <= 0) return std::numeric_limits<double>::infinity();
  return 2 * trigamma_inverse(beyond);
}

double correlation_of_starts(std::span<const Repetitions> parts, std::size_t runs) {
  if (parts.size() < kPartsForCorrelation || runs < kStartsForCorrelation) return 0;
  double neighbours = 0, next = 0;
  for (std::size_t k = 1; k < runs; ++k) {
    neighbours = std::max(neighbours, variance_of_step(parts, k - 1, k));
    if (k > 1) next += variance_of_step(parts, k - 2, k) / static_cast<double>(runs - 2);
  }
  if (!(neighbours > 0)) return 0;
  const double correlation = next / neighbours - 1;
  const double sure =
      kSureOfCorrelation * kErrorOfCorrelation / std::sqrt(static_cast<double>(parts.size()));
  return correlation < sure ? 0 : std::min(kMostCorrelation, correlation);
}

AcceptanceNoise moderated_noise(const AcceptanceBasis& basis, Repetitions repetitions) {
  const double squares = sum_of_squares(repetitions, mean(repetitions));
  const auto own = static_cast<double>(repetitions.size() - 1);
  const auto moderated = [&](double prior) {
    return AcceptanceNoise{(prior * *basis.variance + squares) / (prior + own), prior + own};
  };
  const bool is_usual = squares <= own * basis.most_usual * *basis.variance;
  return moderated(is_usual ? basis.degrees : 0);
}

AcceptanceNoise usual_noise(const AcceptanceBasis& basis) {
  return {*basis.variance, basis.all_degrees()};
}

double error_of_difference(const AcceptanceBasis& basis, const AcceptanceNoise& noise,
                           std::size_t runs, double error_of_sessions) {
  const AcceptanceReference& reference = *basis.reference;
  return std::sqrt(noise.variance / static_cast<double>(runs) *
                       squared(growth_of_error(basis, runs)) +
                   squared(reference.standard_error) + squared(reference.between_boots) +
                   squared(error_of_sessions));
}

double half_width_of(const AcceptanceBasis& basis, const AcceptanceNoise& noise, std::size_t runs,
                     double error_of_sessions) {
  const bool is_usual = noise.degrees == basis.all_degrees();
  const double factor = is_usual ? basis.factor : students_t_quantile(kSureOfLook, noise.degrees);
  return factor * error_of_difference(basis, noise, runs, error_of_sessions) +
         basis.reference->lifted_by;
}

}  // namespace scalemark::statistics
