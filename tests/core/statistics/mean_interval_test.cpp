#include <gtest/gtest.h>

#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

TEST(MeanInterval, OneToFive) {  // mean 3, s = 1.58114, t(.975, 4) = 2.776445
  const auto interval = mean_interval(std::vector<double>{1, 2, 3, 4, 5});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 1.036757, 1e-6);
  EXPECT_NEAR(interval->high, 4.963243, 1e-6);
}

TEST(MeanInterval, OneValueHasNone) {
  EXPECT_FALSE(mean_interval(std::vector<double>{7}));
  EXPECT_FALSE(mean_lower_bound(std::vector<double>{7}));
}

TEST(MeanInterval, EqualValuesHaveNoWidth) {
  const auto interval = mean_interval(std::vector<double>{2, 2, 2});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 2);
  EXPECT_EQ(interval->high, 2);
}

TEST(MeanLowerBound, ThreeValues) {  // mean .06, s = .01, t(.95, 2) = 2.919986
  EXPECT_NEAR(*mean_lower_bound(std::vector<double>{0.05, 0.06, 0.07}), 0.04314145, 1e-8);
}

TEST(Quantiles, OfTheTables) {
  EXPECT_NEAR(students_t_quantile(0.975, 4), 2.776445, 1e-6);
  EXPECT_NEAR(students_t_two_sided(-2.776445, 4), 0.05, 1e-6);
  EXPECT_NEAR(normal_quantile(1 - 0.05 / 8), 2.497705, 1e-6);
}

}  // namespace
}  // namespace scalemark::statistics
