// Which of several points is the fastest, and which others may be as fast? The largest of many
// noisy values is too large, so it is named with what it cannot be told apart from, and not with
// its interval. Knows nothing of points or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

struct Fastest {
  std::size_t best = 0;             // place in `points`
  std::vector<std::size_t> others;  // that cannot be told apart from it, fastest first
};

// `points`: the rates of each, one value per unit (run or session); empty ones are left out. Best
// is the largest mean of ln X. Another point is slower when Welch's test of ln X says so at 5 %
// over all pairs of points, since the best was chosen by looking at all of them: the i-th smallest
// of m p values is multiplied by (m - i + 1)(m - i + 2) / 2, the pairs among the points that are
// left (Holm has m - i + 1 for a best that is known beforehand). A point with one value cannot be
// told apart from anything. Absent when all are empty; throws bug() for a rate that is not above 0.
std::optional<Fastest> fastest_of(std::span<const std::vector<double>> points);

}  // namespace scalemark::statistics
