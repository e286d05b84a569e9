#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <set>

#include "core/plan/collectives/collective_plan.h"

namespace scalemark::planning {
namespace {

TEST(RoundRobin, EveryPairMeetsOnceAndNoNodeTwiceInARound) {
  for (int nodes = 1; nodes <= 17; ++nodes) {
    const auto rounds = round_robin(nodes);
    EXPECT_EQ(rounds.size(),
              static_cast<std::size_t>(nodes % 2 == 0 ? nodes - 1 : (nodes == 1 ? 1 : nodes)));
    std::set<std::pair<int, int>> met;
    for (const auto& round : rounds) {
      std::set<int> busy;
      EXPECT_EQ(round.size(), static_cast<std::size_t>(nodes / 2));
      for (const auto& [a, b] : round) {
        EXPECT_LT(a, b);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(met.insert({a, b}).second);
      }
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(nodes * (nodes - 1) / 2));
  }
}

TEST(RoundRobin, FourNodes) {
  EXPECT_EQ(round_robin(4), (std::vector<std::vector<std::pair<int, int>>>{
                                {{0, 3}, {1, 2}}, {{0, 2}, {1, 3}}, {{0, 1}, {2, 3}}}));
}

TEST(RailRounds, EveryRankMeetsTheOneAtItsPlaceOnEachOtherNode) {
  EXPECT_EQ(rail_rounds({0, 0, 1, 1}),
            (std::vector<std::vector<std::pair<int, int>>>{{{0, 2}, {1, 3}}}));
  // Ranks of a node need not follow each other, and a place that the other node lacks pauses.
  EXPECT_EQ(rail_rounds({0, 1, 0, 2, 1, 2, 2}),
            (std::vector<std::vector<std::pair<int, int>>>{
                {{1, 3}, {4, 5}}, {{0, 3}, {2, 5}}, {{0, 1}, {2, 4}}}));
}

TEST(CountLinks, AsManyAsTheRoundsList) {
  using Rounds = std::vector<std::vector<std::pair<int, int>>>;
  const auto equal = [](const LinkCount& count, int nodes, const Rounds& rounds) {
    std::int64_t links = 0;
    for (const auto& round : rounds) links += std::ssize(round);
    EXPECT_EQ(count.nodes, nodes);
    EXPECT_EQ(count.links, links);
    EXPECT_EQ(count.rounds, std::ssize(rounds));
  };
  for (int ranks = 1; ranks <= 9; ++ranks) {
    const std::vector<int> one_node(static_cast<std::size_t>(ranks), 0);
    equal(count_links(one_node, settings::PairBy::kNode), 1, round_robin(ranks));
    equal(count_links(one_node, settings::PairBy::kRank), 1, round_robin(ranks));
  }
  const std::vector<std::vector<int>> fleets{
      {0, 1}, {0, 0, 1, 1}, {0, 0, 0, 1, 2, 2}, {0, 1, 0, 2, 1, 2, 2, 3}};
  for (const std::vector<int>& nodes : fleets) {
    const int last = nodes.back();
    equal(count_links(nodes, settings::PairBy::kNode), last + 1, round_robin(last + 1));
    equal(count_links(nodes, settings::PairBy::kRank), last + 1, rail_rounds(nodes));
  }
}

}  // namespace
}  // namespace scalemark::planning
