#include "core/statistics/straggler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/base/error.h"

namespace scalemark::statistics {
namespace {

using Runs = std::vector<std::vector<double>>;  // [run][rank]: mean of ln own
using enum RankVerdict;

TEST(JudgeRanks, NamesTheOneThatIsSlowInEveryRun) {  // rank 2, by 5, 6 and 7 %
  const auto ranks = judge_ranks(
      Runs{{0, 0.001, 0.05, -0.001, 0}, {0, 0.001, 0.06, -0.001, 0}, {0, 0.001, 0.07, -0.001, 0}});
  ASSERT_EQ(ranks.size(), 5u);
  EXPECT_NEAR(ranks[2].slower_by, 0.06, 1e-12);
  EXPECT_NEAR(ranks[2].threshold, 0.03, 1e-12);  // t(.99, 3.7) s is less
  EXPECT_NEAR(*ranks[2].lower_bound, 0.04314145, 1e-8);
  EXPECT_EQ(ranks[2].verdict, kStraggler);
  for (const int other : {0, 1, 3, 4}) EXPECT_EQ(ranks[other].verdict, kWithinNoise);
}

TEST(JudgeRanks, SlowInOneRunOnlyIsNotNamed) {
  const auto ranks = judge_ranks(Runs{{0, 0, 0, 0.2}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_GT(ranks[3].slower_by, ranks[3].threshold);
  EXPECT_LT(*ranks[3].lower_bound, 0);
  EXPECT_EQ(ranks[3].verdict, kWithinNoise);
}

TEST(JudgeRanks, TwoRunsCannotShowThatItLasts) {
  const auto ranks = judge_ranks(Runs{{0, 0, 0, 0.1}, {0, 0, 0, 0.1}});
  EXPECT_FALSE(ranks[3].lower_bound);
  EXPECT_EQ(ranks[3].verdict, kTooFewRuns);
  EXPECT_EQ(ranks[0].verdict, kWithinNoise);
}

TEST(JudgeRanks, OfTwoOneIsSlowerAndNobodyAtFault) {
  const auto ranks = judge_ranks(Runs{{0, 0.05}, {0, 0.06}, {0, 0.05}});
  EXPECT_EQ(ranks[1].verdict, kSlower);
  EXPECT_EQ(ranks[0].verdict, kWithinNoise);
}

// Each is the other's only reference: by turns, or one of them in some runs.
TEST(JudgeRanks, OfTwoNeitherIsIntermittent) {
  const auto turns = judge_ranks(Runs{{0, 0.1}, {0.1, 0}, {0, 0.1}, {0.1, 0}});
  for (const RankDelay& rank : turns) {
    EXPECT_EQ(rank.slow_runs, 2u);
    EXPECT_EQ(rank.verdict, kSlowerAtTimes);
    EXPECT_FALSE(is_named(rank.verdict));
  }
  const auto one = judge_ranks(Runs{{0, 0.15}, {0, 0}, {0, 0.15}, {0, 0}, {0, 0}});
  EXPECT_EQ(one[1].verdict, kSlowerAtTimes);
  EXPECT_EQ(one[0].verdict, kWithinNoise);
}

// Ranks that always differ this much: 1.4826 x MAD of the others is 3.7 %, s 3.06 %, t 4.0531.
TEST(JudgeRanks, AWideFieldRaisesTheThreshold) {
  const std::vector<double> run{-0.05, -0.025, 0, 0, 0, 0.025, 0.05, 0.08};
  const auto ranks = judge_ranks(Runs{run, run, run});
  EXPECT_NEAR(ranks[7].slower_by, 0.08, 1e-12);
  EXPECT_NEAR(ranks[7].threshold, 0.1241447, 1e-7);
  EXPECT_NEAR(ranks[7].p, 0.2137357, 1e-7);
  EXPECT_EQ(ranks[7].verdict, kWithinNoise);
}

TEST(JudgeRanks, SlowInSomeRunsIsIntermittent) {
  const auto ranks =
      judge_ranks(Runs{{0, 0, 0, 0.15}, {0, 0, 0, 0}, {0, 0, 0, 0.15}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_EQ(ranks[3].slow_runs, 2u);
  EXPECT_EQ(ranks[3].verdict, kIntermittent);
  EXPECT_EQ(ranks[0].verdict, kWithinNoise);
}

// p = 1 - Phi(0.04 / (0.02 sqrt(1 + pi / 2 / 3))), four times by Holm.
TEST(JudgeRanks, HealthyDevicesMayDifferAsMuchAsIsSaid) {
  const Runs runs{{0, 0, 0, 0.04}, {0, 0, 0, 0.04}, {0, 0, 0, 0.04}};
  EXPECT_EQ(judge_ranks(runs)[3].verdict, kStraggler);
  const auto judged = judge_ranks(runs, 0.02);
  EXPECT_NEAR(judged[3].p, 0.2104, 2e-4);
  EXPECT_EQ(judged[3].verdict, kWithinNoise);
}

// 5.2 % is enough at one point of 8 ranks, among 12 such points it is 9.7 %.
TEST(JudgeRanksOfPoints, AreJudgedTogether) {
  const std::vector<double> run{-0.013, -0.01, 0, 0, 0.01, 0.01, 0.013, 0.08};
  const std::vector<double> even(8, 0.0);
  std::vector<RunsOfRanks> points(12, RunsOfRanks(3, even));
  points[4] = RunsOfRanks(3, run);
  EXPECT_EQ(judge_ranks(points[4])[7].verdict, kStraggler);
  const auto found = judge_ranks_of_points(points);
  ASSERT_EQ(found.size(), 12u);
  EXPECT_EQ(found[4][7].verdict, kWithinNoise);
  EXPECT_NEAR(found[4][7].threshold, 0.0967598, 1e-7);
}

// Devices that differ by 1 %, four points on each of 64 nodes with eight, as a fleet is accepted:
// by a normal p over the spread of seven, 95 of 100 such fleets had a rank named that is sound.
TEST(JudgeRanksOfPoints, AHealthyNodeHasNoStraggler) {
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  int named = 0;
  for (int node = 0; node < 640; ++node) {
    std::vector<double> device(8);
    for (double& level : device) level = 0.01 * normal(bits);
    std::vector<RunsOfRanks> points(4, RunsOfRanks(3, device));
    for (auto& point : points) {
      for (auto& run : point) {
        for (double& value : run) value += 0.0058 * normal(bits);
      }
    }
    bool any = false;
    for (const auto& point : judge_ranks_of_points(points)) {
      any = any || std::ranges::any_of(point, is_named, &RankDelay::verdict);
    }
    named += any;
  }
  EXPECT_LE(named, 32);  // 5 % of the reports, as is said of each; by a normal p it is 6.4 %
}

TEST(JudgeRanksOfPoints, APointOfOneRankHasNoAnswers) {
  const std::vector<RunsOfRanks> points{RunsOfRanks{{0.1}}, RunsOfRanks{{0, 0}}};
  const auto found = judge_ranks_of_points(points);
  EXPECT_TRUE(found[0].empty());
  EXPECT_EQ(found[1].size(), 2u);
}

TEST(JudgeRanks, OneRankIsComparedWithNobody) { EXPECT_TRUE(judge_ranks(Runs{{0.1}}).empty()); }

TEST(JudgeRanks, RefusesRunsOfDifferentRanks) {
  EXPECT_THROW(judge_ranks(Runs{{0, 0}, {0, 0, 0}}), Error);
  EXPECT_THROW(judge_ranks({}), Error);
}

}  // namespace
}  // namespace scalemark::statistics
