#include "core/statistics/efficiency.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"

namespace scalemark::statistics {
namespace {

using Pairs = std::vector<ThroughputPair>;

// The worked example of METRICS.md: ratios 3.8, 3.843137, 3.775510.
TEST(PairedEfficiency, ThreeBlocksOnFourRanks) {
  const auto result = paired_efficiency(Pairs{{100, 380}, {102, 392}, {98, 370}}, 4);
  EXPECT_EQ(result.pairs, 3u);
  EXPECT_NEAR(result.speedup, 3.8061133, 1e-6);
  EXPECT_NEAR(result.efficiency, 0.9515283, 1e-6);
  ASSERT_TRUE(result.efficiency_ci95);
  EXPECT_NEAR(result.efficiency_ci95->low, 0.9305249, 1e-6);
  EXPECT_NEAR(result.efficiency_ci95->high, 0.9730058, 1e-6);
  EXPECT_NEAR(result.speedup_ci95->low, 4 * 0.9305249, 1e-5);
}

TEST(PairedEfficiency, WhatABlockHasInCommonCancels) {
  const auto result = paired_efficiency(Pairs{{100, 190}, {50, 95}, {200, 380}}, 2);
  EXPECT_NEAR(result.efficiency, 0.95, 1e-12);
  EXPECT_NEAR(result.efficiency_ci95->low, 0.95, 1e-12);
  EXPECT_NEAR(result.efficiency_ci95->high, 0.95, 1e-12);
}

TEST(PairedEfficiency, IsNeverClipped) {
  EXPECT_NEAR(paired_efficiency(Pairs{{100, 210}}, 2).efficiency, 1.05, 1e-12);
  EXPECT_FALSE(paired_efficiency(Pairs{{100, 210}}, 2).efficiency_ci95);
}

TEST(PairedEfficiency, RelativeToTwoRanks) {  // (760 / 8) / (200 / 2)
  const auto result = paired_efficiency(Pairs{{200, 760}}, 8, 2);
  EXPECT_NEAR(result.efficiency, 0.95, 1e-12);
  EXPECT_NEAR(result.speedup, 3.8, 1e-12);
}

TEST(PairedEfficiency, RefusesWhatIsNoPair) {
  EXPECT_THROW(paired_efficiency({}, 2), Error);
  EXPECT_THROW(paired_efficiency(Pairs{{0, 100}}, 2), Error);
  EXPECT_THROW(paired_efficiency(Pairs{{100, 100}}, 0), Error);
}

}  // namespace
}  // namespace scalemark::statistics
