#include "core/planning/collectives/round_robin.h"

#include <algorithm>
#include <numeric>

namespace scalemark::planning {

std::vector<std::vector<std::pair<int, int>>> round_robin(int nodes) {
  const int seats = nodes + nodes % 2;  // who meets the empty one pauses
  std::vector<int> circle(static_cast<std::size_t>(seats));
  std::iota(circle.begin(), circle.end(), 0);
  std::vector<std::vector<std::pair<int, int>>> rounds;
  for (int round = 0; round + 1 < seats; ++round) {
    auto& pairs = rounds.emplace_back();
    for (std::size_t i = 0; i < circle.size() / 2; ++i) {
      const auto [a, b] = std::minmax(circle[i], circle[circle.size() - 1 - i]);
      if (b < nodes) pairs.emplace_back(a, b);
    }
    // The first one keeps its seat, the others move on by one.
    std::rotate(circle.begin() + 1, circle.end() - 1, circle.end());
  }
  return rounds;
}

}  // namespace scalemark::planning
