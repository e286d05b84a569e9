#include "core/statistics/fastest.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/statistics/compare.h"
#include "core/statistics/runs.h"
#include "core/statistics/significance.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kFastestLevel = 0.05;

struct FastestCandidate {
  std::size_t place;
  std::vector<double> logs;
  double level;  // mean of logs
  double p = 1;  // tests whether it is as fast as the best
};

std::vector<FastestCandidate> fastest_first(std::span<const std::vector<double>> points) {
  std::vector<FastestCandidate> candidates;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].empty()) continue;
    auto logs = logarithms(points[i]);
    const double level = mean(logs);
    candidates.push_back({i, std::move(logs), level});
  }
  std::ranges::stable_sort(candidates, std::greater{}, &FastestCandidate::level);
  return candidates;
}

// The places of candidates that are slower than the best, which is the first of them.
std::vector<std::size_t> slower_ones(const std::vector<FastestCandidate>& candidates) {
  std::vector<const FastestCandidate*> by_p;
  for (const FastestCandidate& one : std::span(candidates).subspan(1)) by_p.push_back(&one);
  std::ranges::stable_sort(by_p, {}, &FastestCandidate::p);
  std::vector<std::size_t> slower;
  for (std::size_t i = 0; i < by_p.size(); ++i) {
    const auto left = static_cast<double>(by_p.size() - i);
    if (by_p[i]->p * left * (left + 1) / 2 > kFastestLevel) break;
    slower.push_back(by_p[i]->place);
  }
  return slower;
}

}  // namespace

std::optional<Fastest> fastest_of(std::span<const std::vector<double>> points) {
  auto candidates = fastest_first(points);
  if (candidates.empty()) return std::nullopt;
  const FastestCandidate& best = candidates.front();
  for (FastestCandidate& one : std::span(candidates).subspan(1)) {
    if (one.logs.size() > 1 && best.logs.size() > 1) one.p = welch_test(one.logs, best.logs).p;
  }
  const auto slower = slower_ones(candidates);
  Fastest found{.best = best.place};
  for (const FastestCandidate& one : std::span(candidates).subspan(1)) {
    if (std::ranges::find(slower, one.place) == slower.end()) found.others.push_back(one.place);
  }
  return found;
}

namespace {

constexpr double kRaceFalseAlarms = 0.05;  // the probability that a search has any

// The probability that a mean of these or a larger one arises where the true mean is 0.
double one_sided_p(std::span<const double> values) {
  const double centre = mean(values), error = standard_error(values, centre);
  if (error == 0) return centre > 0 ? 0 : 1;
  const double both = students_t_two_sided(centre / error, static_cast<double>(values.size()) - 1);
  return centre > 0 ? both / 2 : 1 - both / 2;
}

// ln(X_a / X_b) of the blocks that both ran.
std::vector<double> distances(const BlockRates& a, const BlockRates& b) {
  std::vector<double> all;
  for (const auto& [block, rate] : a) {
    const auto other = b.find(block);
    if (other != b.end()) all.push_back(rate - other->second);
  }
  return all;
}

std::size_t leader_of(std::span<const BlockRates> runners) {
  std::size_t leader = 0;
  for (std::size_t i = 1; i < runners.size(); ++i) {
    const auto ahead = distances(runners[i], runners[leader]);
    const bool first = runners[leader].empty() && !runners[i].empty();
    if (first || (!ahead.empty() && mean(ahead) > 0)) leader = i;
  }
  return leader;
}

}  // namespace

Race judge_race(std::span<const BlockRates> runners, double level) {
  if (runners.empty()) throw bug("a race without a runner");
  Race race{.leader = leader_of(runners)};
  for (std::size_t i = 0; i < runners.size(); ++i) {
    const auto behind = distances(runners[race.leader], runners[i]);
    const bool judged = i != race.leader && behind.size() >= kBlocksToJudge;
    race.slower.push_back(judged && *mean_lower_bound(behind, 1 - level) > 0);
    race.p.push_back(judged ? one_sided_p(behind) : 1);
    race.alike.push_back(i == race.leader || (judged && surely_alike(behind)));
  }
  return race;
}

double race_level(std::size_t runners, int looks) {
  const auto rivals = static_cast<double>(std::max<std::size_t>(runners, 2) - 1);
  return kRaceFalseAlarms / rivals / std::max(1, looks);
}

}  // namespace scalemark::statistics
