#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/statistics/runs.h"

namespace scalemark::statistics {
namespace {

using TimedRuns = std::vector<TimedRun>;

TEST(Drift, OfTwoPointsInThreeBlocks) {  // literals from least squares in numpy
  const auto drift = estimate_drift(
      TimedRuns{{0, 0, 100}, {1, 10, 50}, {1, 20, 50.5}, {0, 30, 99}, {0, 40, 97.5}, {1, 50, 49}});
  ASSERT_TRUE(drift);
  EXPECT_NEAR(drift->per_sweep, -0.0291820, 1e-6);
  EXPECT_NEAR(drift->ci95.low, -0.0581917, 1e-6);
  EXPECT_NEAR(drift->ci95.high, 0.0007213, 1e-6);
  EXPECT_FALSE(drift->finding);  // the interval holds 0
}

TimedRuns steadily_changing(double per_sweep) {
  TimedRuns runs;
  for (std::size_t block = 0; block < 5; ++block) {
    for (const std::size_t point : {block % 3, (block + 1) % 3, (block + 2) % 3}) {
      const auto at_s = static_cast<double>(runs.size());
      const double wobble = runs.size() % 2 == 0 ? 1.0001 : 0.9999;
      runs.push_back(
          {point, at_s,
           wobble * std::pow(10, static_cast<double>(point)) * std::pow(1 + per_sweep, at_s / 14)});
    }
  }
  return runs;
}

TEST(Drift, IsTheChangeFromTheFirstRunToTheLast) {
  const auto drift = estimate_drift(steadily_changing(-0.03));
  ASSERT_TRUE(drift);
  EXPECT_NEAR(drift->per_sweep, -0.03, 3e-4);
  EXPECT_TRUE(drift->finding);
}

TEST(Drift, BelowOnePercentIsNoFinding) {
  const auto drift = estimate_drift(steadily_changing(0.008));
  ASSERT_TRUE(drift);
  EXPECT_GT(drift->ci95.low, 0);  // seen, and too small to matter
  EXPECT_FALSE(drift->finding);
}

TEST(Drift, NeedsTwoDegreesOfFreedom) {
  EXPECT_FALSE(estimate_drift({}));
  EXPECT_FALSE(estimate_drift(TimedRuns{{0, 0, 100}, {1, 1, 50}, {0, 2, 100}, {1, 3, 50}}));
  EXPECT_TRUE(
      estimate_drift(TimedRuns{{0, 0, 100}, {1, 1, 50}, {0, 2, 100}, {1, 3, 51}, {0, 4, 99}}));
}

TEST(Drift, NeedsTimesThatDiffer) {
  EXPECT_FALSE(estimate_drift(TimedRuns{{0, 5, 100}, {0, 5, 101}, {0, 5, 99}, {0, 5, 100}}));
}

}  // namespace
}  // namespace scalemark::statistics
