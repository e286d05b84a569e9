#include "core/statistics/acceptance_baseline.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/statistics/acceptance_basis.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kSureOfSpread = 0.995;
constexpr double kLeastBetweenFewParts = 0.01, kLeastBetweenFewBoots = 0.005;

std::vector<double> boot_means(const BootedPart& part) {
  std::vector<double> means;
  for (const auto& boot : part) means.push_back(mean(boot));
  return means;
}

// Sums of squares around the means, and their degrees of freedom.
struct Squares {
  double sum = 0;
  std::size_t degrees = 0;

  void add(std::span<const double> values) {
    sum += sum_of_squares(values, mean(values));
    degrees += values.size() - 1;
  }
  std::optional<double> variance() const {
    if (degrees == 0) return std::nullopt;
    return sum / static_cast<double>(degrees);
  }
};

struct SpreadsOfBoots {
  std::optional<double> starts, boots;  // variances
  double starts_of_mean = 0;            // the mean over the parts of 1 / number of starts
};

SpreadsOfBoots spreads_of_boots(std::span<const BootedPart> parts) {
  Squares within, between;
  std::vector<double> per_boot, per_part;  // 1 / number of starts
  for (const BootedPart& part : parts) {
    std::size_t starts = 0;
    for (const auto& boot : part) {
      within.add(boot);
      starts += boot.size();
      if (part.size() > 1) per_boot.push_back(1 / static_cast<double>(boot.size()));
    }
    between.add(boot_means(part));
    per_part.push_back(1 / static_cast<double>(starts));
  }
  SpreadsOfBoots spreads{.starts = within.variance(), .starts_of_mean = mean(per_part)};
  if (const auto all = between.variance()) {
    spreads.boots = std::max(0.0, *all - spreads.starts.value_or(0) * mean(per_boot));
  }
  return spreads;
}

std::size_t boots_of(std::span<const BootedPart> parts) {
  std::vector<std::size_t> boots;
  for (const BootedPart& part : parts) boots.push_back(part.size());
  std::ranges::sort(boots);
  return boots[(boots.size() - 1) / 2];
}

std::optional<double> spread_of(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  if (values.size() >= kPartsOfBaseline) return spread_by_median(values);
  return std::sqrt(sum_of_squares(values, mean(values)) / static_cast<double>(values.size() - 1));
}

double sampling_error(std::size_t parts, std::optional<double> spread) {
  const double z = normal_quantile(1 - kShareThatReaches);
  const double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  const double quantile = std::sqrt(kShareThatReaches * (1 - kShareThatReaches)) / density;
  const bool few = parts < kPartsOfBaseline;
  const double counted = few ? std::max(kLeastBetweenFewParts, spread.value_or(0)) : *spread;
  const auto degrees = static_cast<double>(std::max(parts, kPartsOfBaseline) - 1);
  return students_t_quantile(kSureOfSpread, degrees) / normal_quantile(kSureOfSpread) * quantile *
         counted / std::sqrt(static_cast<double>(parts));
}

}  // namespace

AcceptanceBaseline baseline_of(std::span<const BootedPart> parts) {
  const SpreadsOfBoots spreads = spreads_of_boots(parts);
  std::vector<double> means;
  for (const BootedPart& part : parts) means.push_back(mean(boot_means(part)));
  AcceptanceBaseline baseline{.boots = boots_of(parts), .between_parts = spread_of(means)};
  if (spreads.starts) baseline.between_starts = std::sqrt(*spreads.starts);
  if (spreads.boots) baseline.between_boots = std::sqrt(*spreads.boots);

  baseline.reference =
      reference_of_fleet(means, std::sqrt(spreads.starts.value_or(0) * spreads.starts_of_mean));
  double boots = baseline.between_boots.value_or(0);
  if (baseline.boots < kBootsOfBaseline) {
    boots = std::max({boots, baseline.between_starts.value_or(0), kLeastBetweenFewBoots});
  }
  baseline.reference.between_boots = boots;
  const double sampling = sampling_error(parts.size(), baseline.between_parts);
  baseline.reference.standard_error =
      std::sqrt(sampling * sampling + boots * boots / static_cast<double>(baseline.boots));
  return baseline;
}

}  // namespace scalemark::statistics
