#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

TEST(MedianInterval, LiesBetweenTheOrderStatisticsOfTables) {
  const std::vector<double> five{5, 4, 3, 2, 1}, six{6, 1, 5, 2, 4, 3};
  EXPECT_EQ(median(five), 3);
  EXPECT_EQ(median(six), 3.5);
  EXPECT_FALSE(median_interval(five));  // all five hold it with 93.75 %
  EXPECT_EQ(median_interval(six)->low, 1);
  EXPECT_EQ(median_interval(six)->high, 6);
  std::vector<double> values;
  for (int i = 1; i <= 11; ++i) values.push_back(i);
  EXPECT_EQ(median_interval(values)->low, 2);  // Conover, Practical Nonparametric Statistics, A3
  EXPECT_EQ(median_interval(values)->high, 10);
  EXPECT_EQ(median_interval(values, 0.8)->low, 3);
}

TEST(MedianInterval, HoldsTheMedianOfASkewedDistribution) {
  std::mt19937_64 bits(7);
  std::lognormal_distribution<double> skewed(0, 2);  // its median is 1
  int held = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(11);
    for (double& value : values) value = skewed(bits);
    const auto interval = *median_interval(values);
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, 0.975 * kTrials);  // 98.8 %, less four standard errors
}

TEST(SpreadByMedian, IsTheStandardDeviationOfNormalValuesWhateverAFewOthersAre) {
  EXPECT_NEAR(spread_by_median(std::vector<double>{1, 2, 3, 4, 500}), 1.4826, 1e-12);
  EXPECT_EQ(spread_by_median(std::vector<double>{7}), 0);
}

}  // namespace
}  // namespace scalemark::statistics
