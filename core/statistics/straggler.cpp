#include "core/statistics/straggler.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/statistics/holm.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/rank_spread.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kSlowerThatCounts = 0.03;
constexpr double kLevel = 0.05;
constexpr std::size_t kSlowRunsThatCount = 2;

std::size_t at_least(const std::vector<double>& values, double limit) {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [&](double value) { return value >= limit; }));
}

double upper_tail(double value, double degrees) {
  if (std::isinf(degrees)) return normal_upper_tail(value);
  const double both = students_t_two_sided(value, degrees);
  return value > 0 ? both / 2 : 1 - both / 2;
}

double upper_quantile(double level, double degrees) {
  return std::isinf(degrees) ? normal_quantile(1 - level) : students_t_quantile(1 - level, degrees);
}

// p is not adjusted yet, and the verdict follows from it.
// `level`: of each rank.
std::vector<RankDelay> delays_of(const RunsOfRanks& runs, double level, double device_spread) {
  const auto deviations = deviations_of(runs);
  const std::vector<double> means = means_over_runs(runs);
  std::vector<RankDelay> delays;
  for (std::size_t r = 0; r < means.size(); ++r) {
    const Spreads spreads = spreads_of(deviations, means, r, device_spread);
    RankDelay& delay = delays.emplace_back();
    delay.slower_by = mean(deviations[r]);
    const double beyond = upper_quantile(level, spreads.degrees);
    delay.threshold = std::max(kSlowerThatCounts, beyond * spreads.of_means);
    delay.p = upper_tail(delay.slower_by / spreads.of_means, spreads.degrees);
    delay.slow_runs =
        at_least(deviations[r], std::max(kSlowerThatCounts, beyond * spreads.of_runs));
    if (runs.size() >= kRunsForStraggler) delay.lower_bound = mean_lower_bound(deviations[r]);
  }
  return delays;
}

RankVerdict verdict(const RankDelay& delay, std::size_t ranks) {
  const bool beyond = delay.slower_by >= kSlowerThatCounts && delay.p <= kLevel;
  if (!delay.lower_bound) {
    return beyond ? RankVerdict::kTooFewRuns : RankVerdict::kWithinNoise;
  }
  if (beyond && *delay.lower_bound > 0) {
    return ranks == 2 ? RankVerdict::kSlower : RankVerdict::kStraggler;
  }
  return delay.slow_runs >= kSlowRunsThatCount ? RankVerdict::kIntermittent
                                               : RankVerdict::kWithinNoise;
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
  const double level = ranks > 0 ? kLevel / static_cast<double>(ranks) : kLevel;
  std::vector<std::vector<RankDelay>> answers;
  for (const RunsOfRanks& runs : points) {
    answers.emplace_back();
    if (ranks_of(runs) > 0) answers.back() = delays_of(runs, level, device_spread);
  }
  judge_together(answers);
  return answers;
}

std::vector<RankDelay> judge_ranks(const RunsOfRanks& mean_ln_own, double device_spread) {
  if (mean_ln_own.empty()) throw bug("judge_ranks() was given no run");
  return judge_ranks_of_points({&mean_ln_own, 1}, device_spread).front();
}

}  // namespace scalemark::statistics
