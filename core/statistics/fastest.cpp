#include "core/statistics/fastest.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/statistics/runs.h"
#include "core/statistics/summary.h"
#include "core/statistics/welch.h"

namespace scalemark::statistics {
namespace {

constexpr double kFastestLevel = 0.05;

struct FastestCandidate {
  std::size_t place;
  std::vector<double> logs;
  double level;  // mean of logs
  double p = 1;  // that it is as fast as the best
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

}  // namespace scalemark::statistics
