#include "core/statistics/acceptance_basis.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/statistics/mean_interval.h"
#include "core/statistics/median_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kPartsForMedianVariance = 8, kPartsForOneRun = 8;
constexpr double kSureOfLook = 0.995;  // each side of each look
constexpr double kSureOfOneRun = 2.33;
constexpr double kMostPooledDegrees = 10;

double squared(double value) { return value * value; }

std::vector<double> means_of(std::span<const Repetitions> parts, std::size_t runs) {
  std::vector<double> means;
  for (const Repetitions part : parts) means.push_back(mean(part.first(runs)));
  return means;
}

// A few parts that vary much more than the others do not move the median, which is too rough an
// estimate for few parts.
double pooled_variance(std::span<const Repetitions> parts, std::size_t runs) {
  const auto degrees = static_cast<double>(runs - 1);
  std::vector<double> variances;
  for (const Repetitions part : parts) {
    const Repetitions first = part.first(runs);
    variances.push_back(sum_of_squares(first, mean(first)) / degrees);
  }
  if (parts.size() < kPartsForMedianVariance) return mean(variances);
  return median(variances) * degrees /
         boost::math::quantile(boost::math::chi_squared(degrees), 0.5);
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

// One run shows no noise but how far parts are from each other, which contains it.
void take_noise_of_one_run(AcceptanceBasis& basis, std::span<const double> values) {
  basis.degrees = 1;  // one run has no variance of its own that would weigh
  if (values.size() >= kPartsForOneRun) basis.variance = squared(spread_by_median(values));
}

void take_noise(AcceptanceBasis& basis, std::span<const Repetitions> parts, std::size_t runs) {
  const auto others = static_cast<double>(parts.size() - 1);
  basis.variance = pooled_variance(parts, runs);
  basis.degrees = std::min(kMostPooledDegrees, others * static_cast<double>(runs - 1) / 2);
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
    const double error = runs == 1 ? 0 : std::sqrt(*basis.variance / static_cast<double>(runs));
    basis.reference = reference_of_fleet(means, error);
  }
  return basis;
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
    basis.factor =
        look == 1 ? kSureOfOneRun : students_t_quantile(kSureOfLook, basis.all_degrees());
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

double moderated_variance(const AcceptanceBasis& basis, Repetitions repetitions) {
  return (basis.degrees * *basis.variance + sum_of_squares(repetitions, mean(repetitions))) /
         basis.all_degrees();
}

double error_of_difference(const AcceptanceBasis& basis, double variance, std::size_t runs) {
  const AcceptanceReference& reference = *basis.reference;
  return std::sqrt(variance / static_cast<double>(runs) + squared(reference.standard_error) +
                   squared(reference.between_boots));
}

double half_width_of(const AcceptanceBasis& basis, double variance, std::size_t runs) {
  return basis.factor * error_of_difference(basis, variance, runs) + basis.reference->lifted_by;
}

}  // namespace scalemark::statistics
