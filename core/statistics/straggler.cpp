#include "core/statistics/straggler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/statistics/holm.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kSlowerThatCounts = 0.03;
constexpr double kLeastSpread = 0.005;
constexpr double kMadToStandardDeviation = 1.4826;
constexpr double kLevel = 0.05;
constexpr std::size_t kSlowRunsThatCount = 2;

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

// [r][k]: own value - median of the other ranks.
std::vector<std::vector<double>> deviations_of(const RunsOfRanks& runs) {
  std::vector<std::vector<double>> deviations(runs.front().size());
  for (const auto& run : runs) {
    for (std::size_t r = 0; r < run.size(); ++r) {
      deviations[r].push_back(run[r] - median(without(run, r)));
    }
  }
  return deviations;
}

std::vector<double> of_others(const std::vector<std::vector<double>>& deviations,
                              std::size_t rank) {
  std::vector<double> others;
  for (std::size_t r = 0; r < deviations.size(); ++r) {
    if (r != rank) others.insert(others.end(), deviations[r].begin(), deviations[r].end());
  }
  return others;
}

// By how much ranks differ from run to run: each rank's deviations around their mean.
double variance_of_runs(std::vector<std::vector<double>> deviations, std::size_t rank) {
  const auto runs = static_cast<double>(deviations.front().size());
  if (runs < 2) return 0;
  for (auto& of_rank : deviations) {
    const double centre = mean(of_rank);
    for (double& value : of_rank) value -= centre;
  }
  const double spread =
      kMadToStandardDeviation * median_absolute_deviation(of_others(deviations, rank));
  return spread * spread * runs / (runs - 1);
}

// The variance of D_r among healthy devices that differ by `device_spread`.
double variance_of_devices(std::size_t ranks, double device_spread) {
  const double of_median = std::min(1.0, std::numbers::pi / 2 / static_cast<double>(ranks - 1));
  return device_spread * device_spread * (1 + of_median);
}

double spread_of(std::vector<double> values, double least) {
  return std::max(kMadToStandardDeviation * median_absolute_deviation(std::move(values)), least);
}

std::size_t at_least(const std::vector<double>& values, double limit) {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [&](double value) { return value >= limit; }));
}

// What is compared: the spread of D_r, and of the deviations of single runs.
struct Spreads {
  double of_means, of_runs;
};

Spreads spreads_of(const std::vector<std::vector<double>>& deviations,
                   const std::vector<double>& means, std::size_t rank, double device_spread) {
  Spreads least{kLeastSpread, kLeastSpread};
  if (device_spread > 0) {
    const double devices = variance_of_devices(means.size(), device_spread);
    const double runs = variance_of_runs(deviations, rank);
    const auto count = static_cast<double>(deviations.front().size());
    least = {std::max(kLeastSpread, std::sqrt(devices + runs / count)),
             std::max(kLeastSpread, std::sqrt(devices + runs))};
  }
  return {spread_of(without(means, rank), least.of_means),
          spread_of(of_others(deviations, rank), least.of_runs)};
}

// p is not adjusted yet, and the verdict follows from it.
std::vector<RankDelay> delays_of(const RunsOfRanks& runs, double z, double device_spread) {
  const auto deviations = deviations_of(runs);
  const std::vector<double> means = means_over_runs(runs);
  std::vector<RankDelay> delays;
  for (std::size_t r = 0; r < means.size(); ++r) {
    const Spreads spreads = spreads_of(deviations, means, r, device_spread);
    RankDelay& delay = delays.emplace_back();
    delay.slower_by = mean(deviations[r]);
    delay.threshold = std::max(kSlowerThatCounts, z * spreads.of_means);
    delay.p = normal_upper_tail(delay.slower_by / spreads.of_means);
    delay.slow_runs = at_least(deviations[r], std::max(kSlowerThatCounts, z * spreads.of_runs));
    if (runs.size() >= kRunsForStraggler) delay.lower_bound = mean_lower_bound(deviations[r]);
  }
  return delays;
}

StragglerVerdict verdict(const RankDelay& delay, std::size_t ranks) {
  const bool beyond = delay.slower_by >= kSlowerThatCounts && delay.p <= kLevel;
  if (!delay.lower_bound) {
    return beyond ? StragglerVerdict::kTooFewRuns : StragglerVerdict::kNormal;
  }
  if (beyond && *delay.lower_bound > 0) {
    return ranks == 2 ? StragglerVerdict::kSlower : StragglerVerdict::kAtFault;
  }
  return delay.slow_runs >= kSlowRunsThatCount ? StragglerVerdict::kIntermittent
                                               : StragglerVerdict::kNormal;
}

std::size_t ranks_of(const RunsOfRanks& runs) {
  if (runs.empty()) return 0;
  const std::size_t ranks = runs.front().size();
  for (const auto& run : runs) {
    if (run.size() != ranks) throw bug("judge_ranks() was given runs of different ranks");
  }
  return ranks < 2 ? 0 : ranks;
}

void judge_together(std::vector<std::vector<RankDelay>>& points) {
  std::vector<double> p;
  for (const auto& point : points) {
    for (const RankDelay& delay : point) p.push_back(delay.p);
  }
  const std::vector<double> all = holm_adjusted(p);
  auto adjusted = all.begin();
  for (auto& point : points) {
    for (RankDelay& delay : point) {
      delay.p = *adjusted++;
      delay.verdict = verdict(delay, point.size());
    }
  }
}

}  // namespace

std::vector<std::vector<RankDelay>> judge_ranks_of_points(std::span<const RunsOfRanks> points,
                                                          double device_spread) {
  std::size_t ranks = 0;
  for (const RunsOfRanks& runs : points) ranks += ranks_of(runs);
  const double z = ranks > 0 ? normal_quantile(1 - kLevel / static_cast<double>(ranks)) : 0;
  std::vector<std::vector<RankDelay>> answers;
  for (const RunsOfRanks& runs : points) {
    answers.emplace_back();
    if (ranks_of(runs) > 0) answers.back() = delays_of(runs, z, device_spread);
  }
  judge_together(answers);
  return answers;
}

std::vector<RankDelay> judge_ranks(const RunsOfRanks& mean_ln_own, double device_spread) {
  if (mean_ln_own.empty()) throw bug("judge_ranks() was given no run");
  return judge_ranks_of_points({&mean_ln_own, 1}, device_spread).front();
}

}  // namespace scalemark::statistics
