// Finds parts that are slow in some of their runs only, by how likely so many slow runs are.

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "core/statistics/acceptance_sessions.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kSlowRunsToFail = 2;
constexpr double kSlowBefore = 1.0 / 3, kRunsBefore = 33, kChanceOfClass = 0.01;

std::size_t slow_runs(Repetitions values, const AcceptanceBasis& basis, double limit) {
  const double noise = std::max(std::sqrt(*basis.variance), spread_by_median(values));
  const double surely_slow = basis.reference->ln_value + limit -
                             half_width_of(basis, {noise * noise, basis.all_degrees()}, 1);
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [=](double value) { return value < surely_slow; }));
}

// The probability that `slow` or more of `runs` runs are slow if a `share` of all runs are.
double chance_of_slow(std::size_t slow, std::size_t runs, double share) {
  const boost::math::binomial of_runs(static_cast<double>(runs), share);
  return boost::math::cdf(boost::math::complement(of_runs, static_cast<double>(slow) - 1));
}

}  // namespace

SlowRuns slow_runs_of(std::span<const ComparedPart> parts, const AcceptanceBasis& basis,
                      double limit, const std::vector<bool>& failed) {
  SlowRuns slow{std::vector<std::size_t>(parts.size()), std::vector<bool>(parts.size())};
  double all_slow = kSlowBefore, all_runs = kRunsBefore, measured = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& values = parts[i].values;
    if (values.empty() || !are_finite(values)) continue;
    ++measured;
    slow.runs[i] = slow_runs(values, basis, limit);
    if (failed[i]) continue;
    all_slow += static_cast<double>(slow.runs[i]);
    all_runs += static_cast<double>(values.size());
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t runs = parts[i].values.size();
    if (runs < kRunsForIntermittent || failed[i] || slow.runs[i] < kSlowRunsToFail) continue;
    const double share =
        (all_slow - static_cast<double>(slow.runs[i])) / (all_runs - static_cast<double>(runs));
    slow.is_intermittent[i] = chance_of_slow(slow.runs[i], runs, share) < kChanceOfClass / measured;
  }
  return slow;
}

}  // namespace scalemark::statistics
