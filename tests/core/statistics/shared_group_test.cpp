#include "core/statistics/shared_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace scalemark::statistics {
namespace {

constexpr double kLevel = 0.05;

using Fails = std::function<bool(std::size_t, std::size_t)>;
using Groups = std::vector<std::vector<std::size_t>>;

std::vector<JudgedLink> judged_pairs(std::size_t nodes, const Fails& fails) {
  std::vector<JudgedLink> links;
  for (std::size_t a = 0; a < nodes; ++a) {
    for (std::size_t b = a + 1; b < nodes; ++b) links.push_back({a, b, 0, fails(a, b)});
  }
  return links;
}

// Each node is in the group of `size` neighbours.
Groups groups_of(std::size_t nodes, std::size_t size) {
  Groups groups;
  for (std::size_t node = 0; node < nodes; ++node) groups.push_back({node / size});
  return groups;
}

Fails leaving(std::size_t group, std::size_t size) {
  return [=](std::size_t a, std::size_t b) { return (a / size == group) != (b / size == group); };
}

TEST(SharedGroup, IsTheOneThatFailedLinksLeave) {
  const auto shared = shared_group(judged_pairs(64, leaving(3, 8)), groups_of(64, 8), kLevel);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->group, 3U);
  EXPECT_EQ(shared->links, LinksOf::kLeaving);
  EXPECT_EQ(shared->failed_here, 8U * 56);
  EXPECT_EQ(shared->failed, 8U * 56);
  EXPECT_TRUE(shared->or_groups.empty());
}

TEST(SharedGroup, IsFoundByTheLinksWithinAndByAll) {
  const auto is_in = [](std::size_t node) { return node / 8 == 2; };
  const auto within = shared_group(
      judged_pairs(64, [&](std::size_t a, std::size_t b) { return is_in(a) && is_in(b); }),
      groups_of(64, 8), kLevel);
  ASSERT_TRUE(within);
  EXPECT_EQ(within->group, 2U);
  EXPECT_EQ(within->links, LinksOf::kWithin);
  const auto touching = shared_group(
      judged_pairs(64, [&](std::size_t a, std::size_t b) { return is_in(a) || is_in(b); }),
      groups_of(64, 8), kLevel);
  ASSERT_TRUE(touching);
  EXPECT_EQ(touching->group, 2U);
  EXPECT_EQ(touching->links, LinksOf::kTouching);
}

// One of sixteen uplinks is bad: few of the links fail, and those leave one switch.
TEST(SharedGroup, IsFoundByAFewOfItsLinks) {
  std::mt19937_64 bits(2);
  const Fails leave = leaving(5, 8);
  const auto shared = shared_group(
      judged_pairs(64,
                   [&](std::size_t a, std::size_t b) { return leave(a, b) && bits() % 16 == 0; }),
      groups_of(64, 8), kLevel);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->group, 5U);
}

TEST(SharedGroup, IsFoundWhereFewPairsAreMeasured) {
  std::mt19937_64 bits(3);
  std::vector<JudgedLink> some;
  for (const JudgedLink& link : judged_pairs(256, leaving(7, 32))) {
    if (bits() % 16 == 0) some.push_back(link);
  }
  const auto shared = shared_group(some, groups_of(256, 32), kLevel);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->group, 7U);
  EXPECT_EQ(shared->failed_here, shared->failed);
}

// Between two switches nobody can tell whose uplink is slow.
TEST(SharedGroup, NamesBothEndsWhereTheyExplainAsMuch) {
  const auto shared = shared_group(judged_pairs(16, leaving(0, 8)), groups_of(16, 8), kLevel);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->group, 0U);
  EXPECT_EQ(shared->or_groups, std::vector<std::size_t>{1});
}

// Four of eight nodes stand behind a switch in 70 ways, of which two part the nodes as the links do
// (2.9 %); three of six in 20 ways, of which two do (10 %).
TEST(SharedGroup, IsNoneWhereSoFewNodesMayStandSoByChance) {
  EXPECT_TRUE(shared_group(judged_pairs(8, leaving(0, 4)), groups_of(8, 4), kLevel));
  EXPECT_FALSE(shared_group(judged_pairs(6, leaving(0, 3)), groups_of(6, 3), kLevel));
}

TEST(SharedGroup, IsNoneWhereANodeIsBadOrNothingFails) {
  for (const std::size_t bad : {0U, 11U, 63U}) {
    const auto links =
        judged_pairs(64, [&](std::size_t a, std::size_t b) { return a == bad || b == bad; });
    EXPECT_FALSE(shared_group(links, groups_of(64, 8), kLevel)) << bad;
  }
  EXPECT_FALSE(
      shared_group(judged_pairs(64, [](auto, auto) { return false; }), groups_of(64, 8), kLevel));
  EXPECT_FALSE(
      shared_group(judged_pairs(64, [](auto, auto) { return true; }), groups_of(64, 8), kLevel));
  EXPECT_FALSE(shared_group({}, {}, kLevel));
  const Groups unknown(64, {kNoGroup});
  EXPECT_FALSE(shared_group(judged_pairs(64, leaving(3, 8)), unknown, kLevel));
}

// A rail's switches are each behind one card of a node: the slow one is found among links of all.
TEST(SharedGroup, TellsTheSwitchesOfRails) {
  Groups groups;
  for (std::size_t node = 0; node < 32; ++node) {
    groups.push_back({2 * (node / 8), 2 * (node / 8) + 1});
  }
  std::vector<JudgedLink> links;
  for (JudgedLink link : judged_pairs(32, leaving(1, 8))) {
    link.place = 1;
    links.push_back(link);
    link.place = 0;
    link.failed = false;
    links.push_back(link);
  }
  const auto shared = shared_group(links, groups, kLevel);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->group, 3U);
}

// In 400 fleets whose nodes and links fail for themselves 20 may be named. More than 31 would be
// chance in 1 % (binomial).
TEST(SharedGroup, IsNamedByChanceInTheShareThatIsAllowed) {
  std::mt19937_64 bits(7);
  int named = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::set<std::size_t> bad;
    while (bad.size() < bits() % 4) bad.insert(bits() % 32);
    const auto links = judged_pairs(32, [&](std::size_t a, std::size_t b) {
      return bad.contains(a) || bad.contains(b) || bits() % 100 == 0;
    });
    named += shared_group(links, groups_of(32, trial % 2 == 0 ? 8 : 4), kLevel).has_value();
  }
  EXPECT_LE(named, 31);
  RecordProperty("named", named);
}

}  // namespace
}  // namespace scalemark::statistics
