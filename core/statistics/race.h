// Which of several values is the fastest, which are surely slower, and which cannot be told from
// it: for a search that drops values on the way. Knows nothing of options, sweeps or reports.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace scalemark::statistics {

// ln X of one value's runs, by block and session: runs are compared where both are equal.
using BlockRates = std::map<std::pair<int, int>, double>;

struct Race {
  std::size_t leader = 0;
  // By runner. Slower: the one-sided bound of its mean distance from the leader lies below 0, from
  // kBlocksToJudge blocks that both ran. Alike: see surely_alike(); the leader itself is alike.
  std::vector<bool> slower, alike;
  // By runner: one-sided p of "it is as fast as the leader"; 1 for the leader and where slower is
  // not judged.
  std::vector<double> p;
};

inline constexpr std::size_t kBlocksToJudge = 3;

// The leader beats, in the mean of the blocks that both ran, each runner after it and the leader
// before it. `level`: of false alarms that one comparison may have. Throws bug() without a runner.
Race judge_race(std::span<const BlockRates> runners, double level);

// The level of one comparison such that the truly fastest of `runners` is called slower in at most
// 5 % of searches with so many looks, whoever leads (Bonferroni).
double race_level(std::size_t runners, int looks);

}  // namespace scalemark::statistics
