#include "core/statistics/straggler.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kSlowerThatCounts = 0.03;
constexpr double kLeastSpread = 0.005;
constexpr double kMadToStandardDeviation = 1.4826;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile_of_sorted(values, 0.5);
}

double median_absolute_deviation(std::vector<double> values) {
  const double centre = median(values);
  for (double& value : values) value = std::abs(value - centre);
  return median(std::move(values));
}

std::vector<double> without(std::vector<double> values, std::size_t rank) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(rank));
  return values;
}

std::vector<double> means_over_runs(std::span<const std::vector<double>> runs) {
  std::vector<double> means(runs.front().size(), 0.0);
  for (const auto& run : runs) {
    for (std::size_t r = 0; r < run.size(); ++r) {
      means[r] += run[r] / static_cast<double>(runs.size());
    }
  }
  return means;
}

StragglerVerdict verdict(const RankDelay& delay, std::size_t ranks) {
  if (delay.slower_by < delay.threshold) return StragglerVerdict::kNormal;
  if (!delay.lower_bound) return StragglerVerdict::kTooFewRuns;
  if (*delay.lower_bound <= 0) return StragglerVerdict::kNormal;
  return ranks == 2 ? StragglerVerdict::kSlower : StragglerVerdict::kAtFault;
}

}  // namespace

std::vector<RankDelay> judge_ranks(std::span<const std::vector<double>> mean_ln_own) {
  if (mean_ln_own.empty()) throw bug("judge_ranks() was given no run");
  const std::size_t ranks = mean_ln_own.front().size();
  for (const auto& run : mean_ln_own) {
    if (run.size() != ranks) throw bug("judge_ranks() was given runs of different ranks");
  }
  if (ranks < 2) return {};

  const std::vector<double> means = means_over_runs(mean_ln_own);
  const double z = normal_quantile(1 - 0.05 / static_cast<double>(ranks));
  std::vector<RankDelay> answers;
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<double> delays;
    for (const auto& run : mean_ln_own) delays.push_back(run[r] - median(without(run, r)));
    const double spread = std::max(
        kMadToStandardDeviation * median_absolute_deviation(without(means, r)), kLeastSpread);

    RankDelay delay{.slower_by = mean(delays),
                    .threshold = std::max(kSlowerThatCounts, z * spread)};
    if (delays.size() >= kRunsForStraggler) delay.lower_bound = mean_lower_bound(delays);
    delay.verdict = verdict(delay, ranks);
    answers.push_back(delay);
  }
  return answers;
}

}  // namespace scalemark::statistics
