#include "core/plan/collectives/link_rounds.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/plan/order.h"

namespace scalemark::planning {
namespace {

std::vector<int> counted_up(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<int> in_random_order(int count, std::uint64_t seed) {
  std::vector<int> numbers = counted_up(count);
  shuffle(numbers, seed);
  return numbers;
}

std::vector<std::vector<int>> ranks_of_nodes(const std::vector<int>& node_of_rank) {
  std::vector<std::vector<int>> ranks_of;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto node = static_cast<std::size_t>(node_of_rank[rank]);
    ranks_of.resize(std::max(ranks_of.size(), node + 1));
    ranks_of[node].push_back(static_cast<int>(rank));
  }
  return ranks_of;
}

}  // namespace

Rounds round_robin(int nodes) {
  const int seats = nodes + nodes % 2;  // whoever meets the empty seat pauses
  std::vector<int> circle = counted_up(seats);
  Rounds rounds;
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

Rounds pair_rounds(int nodes, std::uint64_t seed) {
  Rounds all = round_robin(nodes);
  if (nodes <= kAllMeetUpTo) return all;
  shuffle(all, seed);
  all.resize(kPartners);
  const std::vector<int> node = in_random_order(nodes, seed + 1);
  for (auto& pairs : all) {
    for (auto& [a, b] : pairs) {
      a = node[static_cast<std::size_t>(a)];
      b = node[static_cast<std::size_t>(b)];
      if (a > b) std::swap(a, b);
    }
  }
  return all;
}

Rounds rail_rounds(const std::vector<int>& node_of_rank, std::uint64_t seed) {
  const auto ranks_of = ranks_of_nodes(node_of_rank);
  Rounds rounds;
  for (const auto& nodes : pair_rounds(static_cast<int>(ranks_of.size()), seed)) {
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

LinkCount count_links(const std::vector<int>& node_of_rank, settings::PairBy by,
                      std::uint64_t seed) {
  const auto nodes = static_cast<int>(std::set(node_of_rank.begin(), node_of_rank.end()).size());
  LinkCount count{.nodes = nodes,
                  .ends = nodes > 1 ? nodes : static_cast<int>(node_of_rank.size())};
  const bool by_rank = nodes > 1 && by == settings::PairBy::kRank;
  const Rounds rounds = by_rank ? rail_rounds(node_of_rank, seed) : pair_rounds(count.ends, seed);
  for (const auto& pairs : rounds) count.links += std::ssize(pairs);
  count.rounds = static_cast<int>(rounds.size());
  return count;
}

std::vector<std::vector<Part>> drawn_parts(const std::vector<int>& node_of_rank,
                                           std::uint64_t seed) {
  const auto ranks_of = ranks_of_nodes(node_of_rank);
  const std::size_t nodes = ranks_of.size();
  std::vector<std::vector<Part>> divisions;
  for (std::size_t count = 1; nodes / count >= 2; count *= 2) {
    const auto order = in_random_order(static_cast<int>(nodes), seed + count);
    auto& parts = divisions.emplace_back(count);
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto& ranks = ranks_of[static_cast<std::size_t>(order[i])];
      Part& part = parts[i * count / nodes];
      part.insert(part.end(), ranks.begin(), ranks.end());
    }
    for (Part& part : parts) std::ranges::sort(part);
  }
  return divisions;
}

}  // namespace scalemark::planning
