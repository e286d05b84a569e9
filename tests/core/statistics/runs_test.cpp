#include "core/statistics/runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"

namespace scalemark::statistics {
namespace {

// The worked example of METRICS.md, "Several runs".
TEST(RunsEstimate, FiveRuns) {
  const auto estimate = estimate_over_runs(std::vector<double>{98, 101, 100, 103, 97});
  EXPECT_EQ(estimate.runs, 5u);
  EXPECT_NEAR(estimate.value, 99.777193, 1e-6);
  ASSERT_TRUE(estimate.ci95);
  EXPECT_NEAR(estimate.ci95->low, 96.860406, 1e-6);
  EXPECT_NEAR(estimate.ci95->high, 102.781814, 1e-6);
  EXPECT_NEAR(*estimate.cv_between, 0.0239225, 1e-7);
  EXPECT_NEAR(*estimate.half_width, 0.0296732, 1e-6);
}

TEST(RunsEstimate, OneRunHasNoInterval) {
  const auto estimate = estimate_over_runs(std::vector<double>{250});
  EXPECT_NEAR(estimate.value, 250, 1e-12);
  EXPECT_FALSE(estimate.ci95);
  EXPECT_FALSE(estimate.cv_between);
  EXPECT_FALSE(estimate.half_width);
}

TEST(RunsEstimate, ScalesWithTheUnit) {
  const auto small = estimate_over_runs(std::vector<double>{1, 1.1, 0.95});
  const auto large = estimate_over_runs(std::vector<double>{1000, 1100, 950});
  EXPECT_NEAR(large.ci95->low, 1000 * small.ci95->low, 1e-9);
  EXPECT_NEAR(*large.cv_between, *small.cv_between, 1e-12);
  EXPECT_NEAR(*large.half_width, *small.half_width, 1e-12);
}

TEST(RunsEstimate, RefusesWhatIsNoMeasurement) {
  EXPECT_THROW(estimate_over_runs({}), Error);
  EXPECT_THROW(estimate_over_runs(std::vector<double>{100, 0}), Error);
  EXPECT_THROW(estimate_over_runs(std::vector<double>{100, -1}), Error);
  EXPECT_THROW(estimate_over_runs(std::vector<double>{100, std::nan("")}), Error);
  EXPECT_THROW(estimate_over_runs(std::vector<double>{std::numeric_limits<double>::infinity()}),
               Error);
}

TEST(EstimateOverSessions, OneIsTheSameAsItsRuns) {
  const std::vector<std::vector<double>> one{{98, 101, 100, 103, 97}};
  const auto estimate = estimate_over_sessions(one);
  EXPECT_DOUBLE_EQ(estimate.ci95->low, estimate_over_runs(one[0]).ci95->low);
}

TEST(EstimateOverSessions, TwoHaveNoInterval) {
  const auto estimate = estimate_over_sessions(std::vector<std::vector<double>>{{100, 100}, {104}});
  EXPECT_EQ(estimate.runs, 3u);
  EXPECT_FALSE(estimate.ci95);
  EXPECT_FALSE(estimate.half_width);
  EXPECT_TRUE(estimate.cv_between);
  EXPECT_NEAR(estimate.value, std::sqrt(100 * 104), 1e-9) << "each session counts alike";
}

TEST(EstimateOverSessions, FromThreeOnTheirMeansAreTheUnit) {
  const auto estimate =
      estimate_over_sessions(std::vector<std::vector<double>>{{99, 99, 99, 99}, {100}, {101}});
  const auto means = estimate_over_runs(std::vector<double>{99, 100, 101});
  EXPECT_NEAR(estimate.ci95->low, means.ci95->low, 1e-9);
  EXPECT_NEAR(estimate.ci95->high, means.ci95->high, 1e-9);
}

TEST(EstimateOverSessions, RefusesWhatIsNoMeasurement) {
  EXPECT_THROW(estimate_over_sessions({}), Error);
  EXPECT_THROW(estimate_over_sessions(std::vector<std::vector<double>>{{1}, {}}), Error);
}

TEST(MeanOverSessions, KeepsSignsAndCountsSessionsAsThroughputDoes) {
  const auto one = mean_over_sessions(std::vector<std::vector<double>>{{-1, 0, 4}});
  EXPECT_DOUBLE_EQ(one.value, 1);
  EXPECT_NEAR(one.ci95->high - 1, 4.302653 * std::sqrt(7.0 / 3), 1e-5);
  const auto two = mean_over_sessions(std::vector<std::vector<double>>{{-1, 0, 4}, {5}});
  EXPECT_DOUBLE_EQ(two.value, 3);
  EXPECT_FALSE(two.ci95);
  EXPECT_TRUE(mean_over_sessions(std::vector<std::vector<double>>{{1}, {2}, {3}}).ci95);
  EXPECT_FALSE(mean_over_sessions(std::vector<std::vector<double>>{{7}}).ci95);
  EXPECT_THROW(mean_over_sessions({}), Error);
  EXPECT_THROW(mean_over_sessions(std::vector<std::vector<double>>{{1}, {}}), Error);
}

TEST(Widened, GrowsInLogarithms) {
  const auto estimate = estimate_over_runs(std::vector<double>{98, 101, 100, 103, 97});
  const auto wide = widened(estimate, 2.0);
  EXPECT_NEAR(std::log(wide.ci95->high / wide.value),
              2 * std::log(estimate.ci95->high / estimate.value), 1e-12);
  EXPECT_GT(*wide.half_width, *estimate.half_width);
  EXPECT_FALSE(widened(estimate, {}).ci95);
}

}  // namespace
}  // namespace scalemark::statistics
