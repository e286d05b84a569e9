#include "core/planning/collectives/round_robin.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>

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

}  // namespace
}  // namespace scalemark::planning
