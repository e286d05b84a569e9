#include "core/plan/collectives/link_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
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

TEST(PairRounds, AFewRoundsOfALargeFleet) {
  EXPECT_EQ(pair_rounds(kAllMeetUpTo, 3), round_robin(kAllMeetUpTo));
  for (const int nodes : {65, 66, 129, 1000}) {
    const Rounds rounds = pair_rounds(nodes, 3);
    EXPECT_EQ(rounds, pair_rounds(nodes, 3));
    EXPECT_NE(rounds, pair_rounds(nodes, 4));
    ASSERT_EQ(std::ssize(rounds), kPartners);
    std::map<int, std::set<int>> partners;
    for (const auto& round : rounds) {
      std::set<int> busy;
      EXPECT_EQ(std::ssize(round), nodes / 2);
      for (const auto& [a, b] : round) {
        EXPECT_TRUE(0 <= a && a < b && b < nodes);
        EXPECT_TRUE(busy.insert(a).second && busy.insert(b).second);
        EXPECT_TRUE(partners[a].insert(b).second && partners[b].insert(a).second);
      }
    }
    for (const auto& [node, others] : partners) {
      EXPECT_GE(std::ssize(others), kPartners - nodes % 2) << node;
    }
    EXPECT_EQ(std::ssize(partners), nodes);
  }
}

// Whatever nodes stand behind one switch of 32, enough of the links leave it, and all of the graph
// hangs together: from node 0 every other one is reached within four links.
TEST(PairRounds, DrawsAGraphWithoutBottlenecks) {
  constexpr int kNodes = 512;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::map<int, std::set<int>> partners;
    for (const auto& round : pair_rounds(kNodes, seed)) {
      for (const auto& [a, b] : round) partners[a].insert(b), partners[b].insert(a);
    }
    std::set<int> reached{0};
    for (int step = 0; step < 4; ++step) {
      for (const int node : std::set<int>(reached))
        reached.insert(partners[node].begin(), partners[node].end());
    }
    EXPECT_EQ(std::ssize(reached), kNodes) << seed;
  }
}

TEST(DrawnParts, DivideTheNodesUntilTwoOrThreeAreLeft) {
  std::vector<int> node_of_rank;
  for (int node = 0; node < 11; ++node) node_of_rank.insert(node_of_rank.end(), 2, node);
  const auto divisions = drawn_parts(node_of_rank, 5);
  EXPECT_EQ(divisions, drawn_parts(node_of_rank, 5));
  EXPECT_NE(divisions, drawn_parts(node_of_rank, 6));
  ASSERT_EQ(divisions.size(), 3U);  // 11; 5 and 6; two or three in four parts
  for (std::size_t i = 0; i < divisions.size(); ++i) {
    ASSERT_EQ(divisions[i].size(), std::size_t{1} << i);
    std::set<int> seen;
    for (const Part& part : divisions[i]) {
      EXPECT_TRUE(std::ranges::is_sorted(part));
      EXPECT_GE(part.size(), 4U);
      for (const int rank : part) {
        EXPECT_TRUE(seen.insert(rank).second);
        EXPECT_TRUE(std::ranges::count(part, rank ^ 1) == 1) << "ranks of a node stay together";
      }
    }
    EXPECT_EQ(seen.size(), node_of_rank.size());
  }
  EXPECT_TRUE(drawn_parts({0, 0, 0}, 5).empty());
  EXPECT_EQ(drawn_parts({0, 1}, 5), (std::vector<std::vector<Part>>{{{0, 1}}}));
}

TEST(RailRounds, EveryRankMeetsTheOneAtItsPlaceOnEachOtherNode) {
  EXPECT_EQ(rail_rounds({0, 0, 1, 1}, 7),
            (std::vector<std::vector<std::pair<int, int>>>{{{0, 2}, {1, 3}}}));
  // Ranks of a node need not follow each other, and a place that the other node lacks pauses.
  EXPECT_EQ(rail_rounds({0, 1, 0, 2, 1, 2, 2}, 7),
            (std::vector<std::vector<std::pair<int, int>>>{
                {{1, 3}, {4, 5}}, {{0, 3}, {2, 5}}, {{0, 1}, {2, 4}}}));
}

TEST(CountLinks, AsManyAsTheRoundsList) {
  const auto equal = [](const LinkCount& count, int nodes, const Rounds& rounds) {
    std::int64_t links = 0;
    for (const auto& round : rounds) links += std::ssize(round);
    EXPECT_EQ(count.nodes, nodes);
    EXPECT_EQ(count.links, links);
    EXPECT_EQ(count.rounds, std::ssize(rounds));
  };
  for (int ranks = 1; ranks <= 9; ++ranks) {
    const std::vector<int> one_node(static_cast<std::size_t>(ranks), 0);
    equal(count_links(one_node, settings::PairBy::kNode, 7), 1, round_robin(ranks));
    equal(count_links(one_node, settings::PairBy::kRank, 7), 1, round_robin(ranks));
  }
  const std::vector<std::vector<int>> fleets{
      {0, 1}, {0, 0, 1, 1}, {0, 0, 0, 1, 2, 2}, {0, 1, 0, 2, 1, 2, 2, 3}};
  for (const std::vector<int>& nodes : fleets) {
    const int last = nodes.back();
    equal(count_links(nodes, settings::PairBy::kNode, 7), last + 1, round_robin(last + 1));
    equal(count_links(nodes, settings::PairBy::kRank, 7), last + 1, rail_rounds(nodes, 7));
  }
}

}  // namespace
}  // namespace scalemark::planning
