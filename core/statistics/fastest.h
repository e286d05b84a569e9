// Which of several is the fastest, which are slower, and which cannot be distinguished from it: of
// points that were measured, and of values that a search drops on the way. Knows nothing of
// options, sweeps or reports.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace scalemark::statistics {

// Which of several points is the fastest, and which others may be as fast? The largest of many
// noisy values is too large, so it is named with those that cannot be distinguished from it, and
// not with its interval.
struct Fastest {
  std::size_t best = 0;             // place in `points`
  std::vector<std::size_t> others;  // points that cannot be distinguished from it, fastest first
};

// `points`: the rates of each, one value per unit (run or session); empty ones are left out. Best
// is the largest mean of ln X. Another point is slower when Welch's test of ln X says so at 5 %
// over all pairs of points, since the best was chosen by comparing all of them: the i-th smallest
// of m p values is multiplied by (m - i + 1)(m - i + 2) / 2, the pairs among the points that are
// left (Holm has m - i + 1 for a best that is known beforehand). A point with one value cannot be
// distinguished from any. Absent when all are empty; throws bug() for a rate that is not above 0.
std::optional<Fastest> fastest_of(std::span<const std::vector<double>> points);

// ln X of the runs of one value that a search tries, by block and session. Runs of two values are
// compared where block and session are the same.
using BlockRates = std::map<std::pair<int, int>, double>;

struct Race {
  std::size_t leader = 0;
  // By runner. slower: over the blocks that both ran, at least kBlocksToJudge, the one-sided bound
  // of the mean shows it behind the leader. alike: see surely_alike(); the leader itself is alike.
  std::vector<bool> slower, alike;
  // By runner: the one-sided p of the hypothesis that it is as fast as the leader. 1 for the
  // leader, and where `slower` is not judged.
  std::vector<double> p;
};

inline constexpr std::size_t kBlocksToJudge = 3;

// In the mean of the blocks that both ran, the leader is ahead of each runner after it and of the
// leader before it. `level`: the probability of a false alarm that one comparison may have. Throws
// bug() without a runner.
Race judge_race(std::span<const BlockRates> runners, double level);

// The level of one comparison such that the truly fastest of `runners` is called slower in at most
// 5 % of searches with so many looks, whoever leads (Bonferroni).
double race_level(std::size_t runners, int looks);

}  // namespace scalemark::statistics
