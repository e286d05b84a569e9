#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/statistics/significance.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

// Quantiles of the normal distribution: as normal as n values can be.
std::vector<double> quantiles(int n, double scale) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(scale * normal_quantile((i + 0.5) / n));
  return values;
}

TEST(Normality, NormalRunsAreNormalWhateverTheirSpread) {
  const std::vector<std::vector<double>> groups{quantiles(10, 0.01), quantiles(20, 5)};
  const auto found = check_normality(groups);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->runs, 30u);
  EXPECT_NEAR(found->skewness_z, 0, 1e-9);
  EXPECT_GT(found->p, 0.5);
}

// Twelve points of five runs, and at five of them one run is slow.
TEST(Normality, RareSlowRunsAreSeen) {
  std::vector<std::vector<double>> groups(12, quantiles(5, 0.003));
  for (std::size_t i = 0; i < 5; ++i) groups[i][2] -= 0.05;
  const auto found = check_normality(groups);
  EXPECT_LT(found->p, 0.01);
  EXPECT_LT(found->skewness_z, -2);
  for (auto& group : groups) {
    for (double& value : group) value = -value;
  }
  EXPECT_GT(check_normality(groups)->skewness_z, 2);
}

TEST(Normality, TwoLevelsAreSeen) {
  std::vector<double> runs = quantiles(40, 0.001);
  for (std::size_t i = 0; i < 20; ++i) runs[i] -= 0.05;
  const auto found = check_normality(std::vector<std::vector<double>>{runs});
  EXPECT_LT(found->p, 0.01);
  EXPECT_LT(found->kurtosis_z, -2);
}

TEST(Normality, TheSameRunsAlwaysGiveTheSameP) {
  std::vector<std::vector<double>> groups(3, quantiles(5, 1));
  groups[0][0] -= 4;
  EXPECT_EQ(check_normality(groups)->p, check_normality(groups)->p);
}

// A sweep that grows asks for other sizes each time, and p is the same whatever was asked before.
TEST(Normality, IsTheSameInAGrowingSweepAsByItself) {
  std::vector<std::vector<double>> groups(6, quantiles(4, 1));
  groups[0][0] -= 3;
  std::vector<double> growing;
  for (int run = 4; run < 7; ++run) {
    for (auto& group : groups) {
      group.push_back(0.1 * run);
      growing.push_back(check_normality(groups)->p);
    }
  }
  const double last = growing.back();
  std::thread([&] { EXPECT_EQ(check_normality(groups)->p, last); }).join();
}

TEST(Normality, IsAbsentWhereNothingCanBeSaid) {
  EXPECT_FALSE(check_normality({}));
  EXPECT_FALSE(check_normality(std::vector<std::vector<double>>{{1, 2, 3}, {1, 2}}));
  EXPECT_FALSE(check_normality(std::vector<std::vector<double>>{std::vector(8, 0.1)})) << "equal";
}

}  // namespace
}  // namespace scalemark::statistics
