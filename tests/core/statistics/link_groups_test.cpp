#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "core/base/error.h"
#include "core/statistics/shared_group.h"
#include "core/statistics/slow_links.h"

namespace scalemark::statistics {
namespace {

// Every pair of `nodes` nodes: 1 ms, times what `factor` says of the link, times noise.
std::vector<LinkLevel> all_pairs(std::size_t nodes, const std::function<double(int, int)>& factor,
                                 double noise = 0, unsigned seed = 1) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<LinkLevel> links;
  for (int a = 0; a < static_cast<int>(nodes); ++a) {
    for (int b = a + 1; b < static_cast<int>(nodes); ++b) {
      links.push_back({a, b, std::log(1e-3 * factor(a, b)) + (noise > 0 ? normal(bits) : 0)});
    }
  }
  return links;
}

std::function<double(int, int)> switches_of(int nodes, double between) {
  return [=](int a, int b) { return a / nodes == b / nodes ? 1 : between; };
}

TEST(LinkGroups, AreTheNodesOfASwitch) {
  const auto groups = groups_of_links(all_pairs(12, switches_of(4, 1.4), 0.01), 12);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->of_node, (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(groups->sizes, (std::vector<std::size_t>{4, 4, 4}));
  EXPECT_NEAR(groups->times_as_long, 1.4, 0.02);
}

// The widest gap of all is that of one bad cable, and it parts nothing.
TEST(LinkGroups, AreNotPartedByABadCable) {
  const auto factor = [](int a, int b) {
    return a == 1 && b == 3 ? 8.0 : switches_of(8, 1.4)(a, b);
  };
  const auto groups = groups_of_links(all_pairs(16, factor, 0.01), 16);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->sizes, (std::vector<std::size_t>{8, 8}));
}

TEST(LinkGroups, AreNotMadeByASlowNodeOrByNoise) {
  const auto two_slow = [](int a, int b) { return a < 2 || b < 2 ? 3.0 : 1.0; };
  EXPECT_FALSE(groups_of_links(all_pairs(16, two_slow, 0.01), 16));
  EXPECT_FALSE(groups_of_links({}, 0));
  EXPECT_FALSE(groups_of_links(all_pairs(3, switches_of(2, 2)), 3)) << "the third is alone";
  EXPECT_FALSE(groups_of_links(all_pairs(4, switches_of(2, 2)), 4)) << "noise makes pairs, too";
  int found = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    for (const std::size_t nodes : {4U, 6U, 8U, 16U}) {
      for (const double noise : {0.02, 0.1, 0.3}) {
        found +=
            groups_of_links(all_pairs(nodes, switches_of(64, 1), noise, seed), nodes).has_value();
      }
    }
  }
  EXPECT_LE(found, 0.01 * 4800) << "with noise of 30 % some may come";
}

// Nodes that fail, whatever their switch is, share a group in no more fleets than the level says.
TEST(LinkGroups, SharingIsNamedWhereChanceDoesNotExplainIt) {
  EXPECT_NEAR(chance_of_sharing(4, 4, 4, 8), 1.0 / 70, 1e-12);
  EXPECT_NEAR(chance_of_sharing(8, 9, 8, 16), 8.0 / 11440, 1e-12);
  EXPECT_EQ(chance_of_sharing(0, 3, 4, 8), 1);
  EXPECT_EQ(chance_of_sharing(1, 5, 4, 8), 1) << "five of eight are not four others";
  EXPECT_EQ(chance_of_sharing(3, 3, 2, 8), 0);
  EXPECT_THROW(chance_of_sharing(1, 9, 4, 8), Error);
  std::mt19937_64 bits(1);
  const std::size_t nodes = 64, of_switch = 8;
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), 0U);
  for (const std::size_t failed : {2U, 3U, 8U, 20U}) {
    int named = 0;
    for (int fleet = 0; fleet < 1000; ++fleet) {
      std::ranges::shuffle(order, bits);
      std::vector<std::size_t> seen(nodes / of_switch);
      for (std::size_t i = 0; i < failed; ++i) ++seen[order[i] / of_switch];
      const double chance = chance_of_sharing(std::ranges::max(seen), failed, of_switch, nodes);
      named += chance * static_cast<double>(seen.size()) < 0.05;
    }
    EXPECT_LE(named, 0.05 * 1000) << failed;
  }
}

}  // namespace
}  // namespace scalemark::statistics
