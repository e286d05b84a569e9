#include "core/planning/collectives/round_robin.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>

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

std::vector<std::vector<std::pair<int, int>>> rail_rounds(const std::vector<int>& node_of_rank) {
  std::vector<std::vector<int>> ranks_of;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto node = static_cast<std::size_t>(node_of_rank[rank]);
    ranks_of.resize(std::max(ranks_of.size(), node + 1));
    ranks_of[node].push_back(static_cast<int>(rank));
  }
  std::vector<std::vector<std::pair<int, int>>> rounds;
  for (const auto& nodes : round_robin(static_cast<int>(ranks_of.size()))) {
    auto& pairs = rounds.emplace_back();
    for (const auto& [a, b] : nodes) {
      const auto& one = ranks_of[static_cast<std::size_t>(a)];
      const auto& other = ranks_of[static_cast<std::size_t>(b)];
      for (std::size_t place = 0; place < std::min(one.size(), other.size()); ++place) {
        pairs.emplace_back(one[place], other[place]);
      }
    }
  }
  return rounds;
}

LinkCount count_links(const std::vector<int>& node_of_rank, settings::PairBy by) {
  std::map<int, std::int64_t> ranks_of;
  for (const int node : node_of_rank) ++ranks_of[node];
  LinkCount count{.nodes = static_cast<int>(ranks_of.size())};
  const std::size_t ends = count.nodes > 1 ? ranks_of.size() : node_of_rank.size();
  std::vector<std::int64_t> places(ends, 1);  // an end meets each other one at so many
  if (count.nodes > 1 && by == settings::PairBy::kRank) {
    std::ranges::copy(ranks_of | std::views::values, places.begin());
  }
  std::ranges::sort(places);
  for (std::size_t i = 0; i < ends; ++i) {
    count.links += places[i] * static_cast<std::int64_t>(ends - 1 - i);
  }
  count.rounds = static_cast<int>(ends - 1 + ends % 2);
  return count;
}

}  // namespace scalemark::planning
