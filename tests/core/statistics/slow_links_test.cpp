#include "core/statistics/slow_links.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace scalemark::statistics {
namespace {

using Pair = std::pair<int, int>;

// Every link of `nodes` nodes, `passes` times each: 1 ms, times what `factor` says of the link,
// times noise with a relative standard deviation of `noise`.
std::vector<LinkTimes> links_of(int nodes, int passes,
                                const std::function<double(int, int)>& factor, double noise,
                                unsigned seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<LinkTimes> links;
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) {
      LinkTimes link{a, b, {}};
      for (int pass = 0; pass < passes; ++pass) {
        link.seconds.push_back(1e-3 * factor(a, b) * std::exp(normal(bits)));
      }
      links.push_back(std::move(link));
    }
  }
  return links;
}

std::set<int> nodes_in(const SlowParts& slow) {
  std::set<int> nodes;
  for (const auto& one : slow.nodes) nodes.insert(one.node);
  return nodes;
}

std::set<Pair> links_in(const SlowParts& slow) {
  std::set<Pair> links;
  for (const auto& one : slow.links) links.insert({one.a, one.b});
  return links;
}

double of_node(int a, int b, const std::set<int>& bad, double factor) {
  return bad.contains(a) || bad.contains(b) ? factor : 1;
}

// Rank i of each of three nodes meets rank i of the others; rank 1 has a slow cable by design.
std::vector<LinkTimes> links_of_rails(int nodes, const std::function<double(int, int)>& factor) {
  std::vector<LinkTimes> links;
  const auto all = links_of(
      2 * nodes, 5, [&](int a, int b) { return (a % 2 == 0 ? 1.0 : 2.0) * factor(a, b); }, 0.02, 7);
  for (const LinkTimes& link : all) {
    if (link.a % 2 == link.b % 2) links.push_back(link);
  }
  return links;
}

TEST(SlowLinks, RailsAreComparedWithinThemselves) {
  const std::vector<int> rails{0, 1, 0, 1, 0, 1};
  EXPECT_TRUE(find_slow(links_of_rails(3, [](int, int) { return 1.0; }), 6, rails).nodes.empty());
  const auto slow =
      find_slow(links_of_rails(3, [](int a, int b) { return of_node(a, b, {3}, 3); }), 6, rails);
  EXPECT_EQ(nodes_in(slow), std::set<int>{3});
  EXPECT_TRUE(slow.links.empty());
}

TEST(SlowLinks, OfTwoNodesTheRailIsNamedAndNoEnd) {
  const auto links = links_of(
      6, 5, [](int a, int) { return a == 1 ? 4 : 1; }, 0.02, 8);
  std::vector<LinkTimes> rails;  // 0-3, 1-4, 2-5
  for (const LinkTimes& link : links) {
    if (link.b == link.a + 3) rails.push_back(link);
  }
  const auto slow = find_slow(rails, 6, std::vector<int>{0, 1, 2, 0, 1, 2});
  EXPECT_TRUE(slow.nodes.empty());
  EXPECT_EQ(links_in(slow), (std::set<Pair>{{1, 4}}));
  EXPECT_NEAR(slow.links.at(0).than_its_nodes.ratio, 4, 0.3);
}

TEST(SlowLinks, ASlowNodeIsNamedAndNoneOfItsLinks) {
  const auto slow =
      find_slow(links_of(
                    4, 3, [](int a, int b) { return of_node(a, b, {2}, 3); }, 0.02, 1),
                4);
  EXPECT_EQ(nodes_in(slow), std::set<int>{2});
  EXPECT_TRUE(slow.links.empty());
  EXPECT_NEAR(slow.nodes.at(0).than_others.ratio, 3, 0.2);
  EXPECT_LT(slow.nodes.at(0).than_others.ci95.low, 3);
  EXPECT_GT(slow.nodes.at(0).than_others.ci95.high, 3);
}

TEST(SlowLinks, ASlowLinkIsNamedAndNotItsNodes) {
  const auto factor = [](int a, int b) { return Pair(a, b) == Pair(1, 3) ? 2.0 : 1.0; };
  const auto slow = find_slow(links_of(4, 3, factor, 0.02, 2), 4);
  EXPECT_TRUE(slow.nodes.empty());
  EXPECT_EQ(links_in(slow), std::set<Pair>{Pair(1, 3)});
  EXPECT_NEAR(slow.links.at(0).than_its_nodes.ratio, 2, 0.15);
}

// Five of the six links are slow then: what is usual among links says nothing.
TEST(SlowLinks, TwoSlowNodesOfFourAreBothNamed) {
  const auto slow = find_slow(links_of(
                                  4, 3,
                                  [](int a, int b) {
                                    return of_node(a, b, {0, 3}, 4);
                                  },
                                  0.03, 3),
                              4);
  EXPECT_EQ(nodes_in(slow), (std::set<int>{0, 3}));
  EXPECT_TRUE(slow.links.empty());
}

TEST(SlowLinks, ASlowNodeAndASlowLinkElsewhere) {
  const auto factor = [](int a, int b) {
    return Pair(a, b) == Pair(1, 3) ? 2.5 : of_node(a, b, {0}, 4);
  };
  const auto slow = find_slow(links_of(6, 4, factor, 0.03, 4), 6);
  EXPECT_EQ(nodes_in(slow), std::set<int>{0});
  EXPECT_EQ(links_in(slow), std::set<Pair>{Pair(1, 3)});
}

TEST(SlowLinks, NothingIsNamedWhereNothingCanBeCompared) {
  const auto slow_0 = [](int a, int b) { return of_node(a, b, {0}, 9); };
  EXPECT_TRUE(find_slow(links_of(2, 5, slow_0, 0.01, 5), 2).nodes.empty());
  EXPECT_TRUE(find_slow(links_of(4, 2, slow_0, 0.01, 6), 4).nodes.empty());
  EXPECT_TRUE(find_slow({}, 4).links.empty());
}

TEST(SlowLinks, ATenthSlowerIsNotWorthAName) {
  const auto slow =
      find_slow(links_of(
                    4, 30, [](int a, int b) { return of_node(a, b, {1}, 1.1); }, 0.01, 7),
                4);
  EXPECT_TRUE(slow.nodes.empty());
  EXPECT_TRUE(slow.links.empty());
}

struct Rates {
  int false_alarms = 0, found = 0;
};

Rates rates(int nodes, int passes, double noise, double slow_by) {
  constexpr int kTrials = 400;
  Rates rates;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    const auto none = [](int, int) { return 1.0; };
    const auto healthy = find_slow(links_of(nodes, passes, none, noise, 1000 + trial), nodes);
    rates.false_alarms += healthy.nodes.empty() && healthy.links.empty() ? 0 : 1;
    const auto bad = [&](int a, int b) { return of_node(a, b, {1}, slow_by); };
    const auto slow = find_slow(links_of(nodes, passes, bad, noise, 9000 + trial), nodes);
    rates.found += nodes_in(slow) == std::set<int>{1} && slow.links.empty() ? 1 : 0;
  }
  return rates;
}

// 400 trials: 5 % and three standard errors are 33.
TEST(SlowLinks, HealthyLinksAreNamedInAtMostFivePercent) {
  for (const double noise : {0.02, 0.1, 0.3}) {
    EXPECT_LE(rates(4, 3, noise, 4).false_alarms, 33) << noise;
    EXPECT_LE(rates(8, 5, noise, 4).false_alarms, 33) << noise;
  }
}

TEST(SlowLinks, ANodeOfAThirdOfTheSpeedIsFoundDespiteNoise) {
  EXPECT_GE(rates(4, 5, 0.1, 3).found, 380);
  EXPECT_GE(rates(8, 5, 0.1, 3).found, 380);
}

// Makes the same links as links_of(), but something else holds up three passes of ten: they take e
// times as long in the mean.
std::vector<LinkTimes> disturbed_links(const std::function<double(int, int)>& factor,
                                       unsigned seed) {
  std::mt19937_64 bits(seed);
  std::bernoulli_distribution held_up(0.3);
  std::exponential_distribution<double> longer(1);
  auto links = links_of(4, 11, factor, 0.2, seed);
  for (LinkTimes& link : links) {
    for (double& seconds : link.seconds) {
      if (held_up(bits)) seconds *= std::exp(longer(bits));
    }
  }
  return links;
}

// A restless machine, as one with four hosts on two cores. Means missed half of these links.
TEST(SlowLinks, AreFoundAndNothingElseWherePassesAreHeldUp) {
  constexpr int kTrials = 400;
  int false_alarms = 0, links = 0, nodes = 0;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    const auto none = find_slow(disturbed_links([](int, int) { return 1.0; }, trial), 4);
    false_alarms += none.nodes.empty() && none.links.empty() ? 0 : 1;
    const auto link = find_slow(
        disturbed_links([](int a, int b) { return Pair(a, b) == Pair(1, 3) ? 10.0 : 1.0; }, trial),
        4);
    links += link.nodes.empty() && links_in(link) == std::set<Pair>{Pair(1, 3)} ? 1 : 0;
    const auto node =
        find_slow(disturbed_links([](int a, int b) { return of_node(a, b, {1}, 10); }, trial), 4);
    nodes += nodes_in(node) == std::set<int>{1} && node.links.empty() ? 1 : 0;
  }
  EXPECT_LE(false_alarms, 33);
  EXPECT_GE(links, 380);
  EXPECT_GE(nodes, 380);
}

// Hosts so busy that half of the passes take twenty times as long: of eleven, six or more of some
// link are among them, and its median with them.
TEST(SlowLinks, AreNotNamedForBeingHeldUpInHalfOfThePasses) {
  constexpr int kTrials = 400;
  int false_alarms = 0;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    std::mt19937_64 bits(trial);
    std::bernoulli_distribution held_up(0.5);
    auto links = links_of(
        4, 11, [](int, int) { return 1.0; }, 0.1, trial);
    for (LinkTimes& link : links) {
      for (double& seconds : link.seconds) seconds *= held_up(bits) ? 20 : 1;
    }
    const auto found = find_slow(links, 4);
    false_alarms += found.nodes.empty() && found.links.empty() ? 0 : 1;
  }
  EXPECT_LE(false_alarms, 33);
}

}  // namespace
}  // namespace scalemark::statistics
