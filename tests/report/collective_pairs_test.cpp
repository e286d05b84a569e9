#include <gtest/gtest.h>

#include <cmath>

#include "report/judge/collectives/collectives.h"

namespace scalemark::reporting {
namespace {

// All pairs of four nodes, three passes; messages of node `slow` take `by` times as long.
std::vector<PairSamples> four_nodes(int slow, double by) {
  std::vector<PairSamples> pairs;
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) {
      const double factor = a == slow || b == slow ? by : 1;
      PairSamples pair{.a = a, .b = b};
      for (const double noise : {0.99, 1.0, 1.01}) {
        pair.latency_s.push_back(20e-6 * noise);
        pair.bytes_per_s.push_back(10e9 / factor * noise);
      }
      pairs.push_back(pair);
    }
  }
  return pairs;
}

const std::vector<LinkEnd> kNodes{{"n0"}, {"n1"}, {"n2"}, {"n3"}};

TEST(JudgePairs, LinksAreMediansOverPassesWithIntervals) {
  const auto judged = judge_pairs(four_nodes(-1, 1), kNodes, /*between_nodes=*/true);
  ASSERT_EQ(judged.links.size(), 6u);
  const LinkRecord& link = judged.links.front();
  EXPECT_EQ(link.a, "n0");
  EXPECT_EQ(link.b, "n1");
  EXPECT_EQ(link.passes, 3);
  EXPECT_NEAR(link.latency_s, 20e-6, 1e-12);
  EXPECT_NEAR(link.bandwidth_GBps, 10, 1e-9);
  EXPECT_FALSE(link.bandwidth_ci95.high);  // three values do not hold the median with 95 %
  EXPECT_TRUE(judged.findings.empty());
}

TEST(JudgePairs, APassThatWasHeldUpMovesNoLink) {
  auto pairs = four_nodes(-1, 1);
  for (PairSamples& pair : pairs) {
    pair.latency_s = {20e-6, 21e-6, 9e-3, 19e-6, 22e-6, 18e-6, 23e-6};
    pair.bytes_per_s = {10e9, 9e9, 1e6, 11e9, 10e9, 8e9, 12e9};
  }
  const auto judged = judge_pairs(pairs, kNodes, /*between_nodes=*/true);
  const LinkRecord& link = judged.links.front();
  EXPECT_NEAR(link.latency_s, 21e-6, 1e-12);
  EXPECT_NEAR(*link.latency_ci95.low, 18e-6, 1e-12);  // seven values hold it with 98.4 %
  EXPECT_NEAR(*link.latency_ci95.high, 9e-3, 1e-12);
  EXPECT_NEAR(link.bandwidth_GBps, 10, 1e-9);
  EXPECT_TRUE(judged.findings.empty());
}

TEST(JudgePairs, LimitsOfLinksHoldBetweenNodesOnly) {
  auto pairs = four_nodes(-1, 1);
  for (PairSamples& pair : pairs) {
    for (double& rate : pair.bytes_per_s) rate /= 100;
  }
  EXPECT_EQ(judge_pairs(pairs, kNodes, /*between_nodes=*/true).findings.size(), 6u);
  EXPECT_TRUE(judge_pairs(pairs, kNodes, /*between_nodes=*/false).findings.empty());
}

TEST(JudgePairs, TheSlowNodeIsNamed) {
  const auto judged = judge_pairs(four_nodes(2, 4), kNodes, /*between_nodes=*/true);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].code, "slow_node");
  EXPECT_EQ(judged.findings[0].text.rfind("n2 is slow: large messages", 0), 0u)
      << judged.findings[0].text;
}

// Where ranks outnumber CPUs, pairs that share one take a millisecond in each pass.
TEST(JudgePairs, ABusyCpuIsNoSlowLink) {
  auto pairs = four_nodes(-1, 1);
  for (PairSamples& pair : pairs) pair.quickest_s = pair.latency_s;
  pairs.front().latency_s = {1.0e-3, 1.1e-3, 0.9e-3};
  EXPECT_TRUE(judge_pairs(pairs, kNodes, /*between_nodes=*/true).findings.empty());
  pairs.front().quickest_s = {1.0e-3, 1.1e-3, 0.9e-3};
  const auto judged = judge_pairs(pairs, kNodes, /*between_nodes=*/true);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].place->link, "n0 to n1");
}

// Two ranks on each of three nodes, each with the rank at its place; messages of rank `slow` and,
// if not -1, of `also` take four times as long.
JudgedPairs three_nodes_by_rank(int slow, int also = -1) {
  std::vector<LinkEnd> ends;
  std::vector<PairSamples> pairs;
  for (int rank = 0; rank < 6; ++rank) {
    const std::string device = "cuda:" + std::to_string(rank % 2);
    ends.push_back({"n" + std::to_string(rank / 2), rank, device, rank % 2});
    for (int b = rank + 2; b < 6; b += 2) {
      const bool is_slow = rank == slow || b == slow || rank == also || b == also;
      PairSamples pair{.a = rank, .b = b};
      for (const double noise : {0.98, 0.99, 1.0, 1.01, 1.02}) {
        pair.latency_s.push_back(20e-6 * noise);
        pair.bytes_per_s.push_back((is_slow ? 2.5e9 : 10e9) * noise);
      }
      pairs.push_back(pair);
    }
  }
  return judge_pairs(pairs, ends, /*between_nodes=*/true);
}

TEST(JudgePairs, ByRankTheRankIsNamedWithDeviceAndHost) {
  const auto judged = three_nodes_by_rank(3);
  ASSERT_EQ(judged.links.size(), 6u);
  EXPECT_EQ(judged.links[0].name(), "n0 rank 0 (cuda:0) to n1 rank 2 (cuda:0)");
  ASSERT_EQ(judged.findings.size(), 1u);
  const Finding& finding = judged.findings.front();
  EXPECT_TRUE(finding.text.starts_with("n1 rank 3 (cuda:1) is slow: large messages "))
      << finding.text;
  EXPECT_EQ(finding.place->rank, 3);
  EXPECT_EQ(finding.place->host, "n1");
  EXPECT_EQ(finding.place->device, "cuda:1");
}

TEST(JudgePairs, ANodeAllOfWhoseRanksAreSlowIsBlamedOnce) {
  const auto judged = three_nodes_by_rank(2, 3);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_TRUE(judged.findings.front().text.starts_with("n1 is slow: ")) << judged.findings[0].text;
  EXPECT_FALSE(judged.findings.front().place->rank);
}

}  // namespace
}  // namespace scalemark::reporting
