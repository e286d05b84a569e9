#include "core/statistics/two_levels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/statistics/holm.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kTwoLevelsLevel = 0.05;

// How many of the sorted values lie below the largest gap.
std::size_t below_largest_gap(std::span<const double> sorted) {
  std::size_t below = 1;
  for (std::size_t i = 2; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] > sorted[below] - sorted[below - 1]) below = i;
  }
  return below;
}

// P that two sides of one level, parted in any way, differ by so much. 0 where neither spreads.
double chance_of(std::span<const double> slow, std::span<const double> fast, double difference) {
  const auto n = static_cast<double>(slow.size()), m = static_cast<double>(fast.size());
  const double squares = sum_of_squares(slow, mean(slow)) + sum_of_squares(fast, mean(fast));
  if (!(squares > 0)) return difference > 0 ? 0 : 1;
  const double degrees = n + m - 2;
  const double t = difference / std::sqrt(squares / degrees * (1 / n + 1 / m));
  // No double holds 2^(R - 1) from R = 1,025 on, and few of so many runs hold P.
  const double ways = (n + m - 1) * std::numbers::ln2 + std::log1p(-std::exp2(1 - n - m));
  return std::exp(std::min(0.0, ways + ln_students_t_two_sided(t, degrees)));
}

Levels levels_of(const std::vector<double>& rates) {
  std::vector<double> logs = logarithms(rates);
  std::ranges::sort(logs);
  const std::size_t below = below_largest_gap(logs);
  const auto slow = std::span(logs).first(below), fast = std::span(logs).subspan(below);
  Levels levels{.runs = logs.size(), .slow_runs = below, .gap = logs[below] - logs[below - 1]};
  levels.slower_by = mean(fast) - mean(slow);
  levels.p = chance_of(slow, fast, levels.slower_by);
  return levels;
}

}  // namespace

std::vector<std::optional<Levels>> judge_levels(std::span<const std::vector<double>> series) {
  std::vector<std::optional<Levels>> answers;
  std::vector<double> p;
  for (const std::vector<double>& rates : series) {
    auto& answer = answers.emplace_back();
    if (rates.size() < kRunsForLevels) continue;
    answer = levels_of(rates);
    p.push_back(answer->p);
  }
  const std::vector<double> all = holm_adjusted(p);
  auto adjusted = all.begin();
  for (auto& answer : answers) {
    if (!answer) continue;
    answer->p = *adjusted++;
    answer->two = answer->p <= kTwoLevelsLevel && answer->gap > kGapThatCounts;
  }
  return answers;
}

double share_that_may_be_missed(std::size_t runs, double confidence) {
  return 1 - std::pow(1 - confidence, 1 / static_cast<double>(runs));
}

}  // namespace scalemark::statistics
