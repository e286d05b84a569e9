#include "core/statistics/variance_split.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scalemark::statistics {
namespace {

using Session = std::vector<SplitRun>;
using Sessions = std::vector<Session>;

Session session(const std::vector<double>& logs, double steps) {
  Session runs;
  for (const double value : logs) runs.push_back({value, StepNoise{steps * steps, 20}});
  return runs;
}

// The worked example of METRICS.md, "Where variance comes from".
TEST(SplitVariance, RunsLessTheirSteps) {
  const Sessions sessions{session({-0.010, -0.005, 0, 0.005, 0.010}, 0.002)};
  const auto split = split_variance(sessions);
  ASSERT_TRUE(split);
  EXPECT_NEAR(split->between_runs, std::sqrt(2.5e-4 / 4), 1e-12);
  EXPECT_DOUBLE_EQ(split->steps, 0.002);
  EXPECT_NEAR(split->beyond_steps, std::sqrt(6.25e-5 - 4e-6), 1e-12);
  EXPECT_GT(split->beyond_steps_ci95.low, 0.004);
  EXPECT_GT(split->beyond_steps_ci95.high, 0.02);
  EXPECT_FALSE(split->sessions);
}

TEST(SplitVariance, WhatStepsExplainIsNotFoundBeyondThem) {
  const Sessions sessions{session({-0.010, -0.005, 0, 0.005, 0.010}, 0.01)};
  const auto split = split_variance(sessions);
  EXPECT_EQ(split->beyond_steps, 0);
  EXPECT_EQ(split->beyond_steps_ci95.low, 0);
  EXPECT_GT(split->beyond_steps_ci95.high, 0);
}

TEST(SplitVariance, SessionsAreALevelOfTheirOwn) {
  const Sessions sessions{session({0.030, 0.032, 0.028}, 0.001), session({0, 0.002, -0.002}, 0.001),
                          session({-0.03, -0.032, -0.028}, 0.001)};
  const auto split = split_variance(sessions);
  EXPECT_NEAR(split->between_runs, 0.002, 1e-12) << "not what sessions shift";
  ASSERT_TRUE(split->sessions);
  EXPECT_NEAR(*split->sessions, std::sqrt(9e-4 - 4e-6 / 3), 1e-12);
  EXPECT_GT(split->sessions_ci95->low, 0.01);
  EXPECT_GT(split->sessions_ci95->high, 0.1) << "three sessions say little";
}

TEST(SplitVariance, NeedsRunsAndStepsEnough) {
  EXPECT_FALSE(split_variance(Sessions{session({1, 2}, 0.01)})) << "one degree of freedom";
  EXPECT_FALSE(split_variance(Sessions{session({1}, 0.01), session({2}, 0.01), session({3}, 0.1)}));
  EXPECT_FALSE(split_variance(Sessions{Session{{1, {}}, {2, {}}, {3, {}}}})) << "no steps";
  EXPECT_TRUE(split_variance(Sessions{Session{{1, {}}, {2, {}}, {3, StepNoise{1e-4, 9}}}}));
}

// Without b it is the interval of a variance by chi-squared: 4 s^2 / 11.143 .. 4 s^2 / 0.4844.
TEST(VarianceDifference, OfOneVarianceIsChiSquared) {
  const Interval ci95 = variance_difference_ci95({1, 4}, {0, 40});
  EXPECT_NEAR(ci95.low, 4 / 11.143287, 1e-6);
  EXPECT_NEAR(ci95.high, 4 / 0.484419, 1e-4);
}

TEST(VarianceDifference, BeginsAboveZeroExactlyWhereTheFTestFindsOne) {
  const double f = 3.126114;  // F(.975, 4, 40)
  EXPECT_EQ(variance_difference_ci95({0.999 * f, 4}, {1, 40}).low, 0);
  EXPECT_GT(variance_difference_ci95({1.001 * f, 4}, {1, 40}).low, 0);
}

VarianceSplit split_of(double steps, double beyond, Interval ci95) {
  return {.between_runs = std::hypot(steps, beyond),
          .steps = steps,
          .beyond_steps = beyond,
          .beyond_steps_ci95 = ci95};
}

// A run costs 2.5 s besides its window of 2.2 s.
constexpr RunCost kCost{2.5, 2.2};

TEST(WhatToBuy, RunsWhereTheyDifferBeyondTheirSteps) {
  EXPECT_EQ(advise_replication(split_of(0.002, 0.009, {0.006, 0.02}), kCost, 5, 1).buy,
            ReplicationLevel::kRuns);
}

// The window grows to the length that is best if runs differ by as much as the interval allows.
TEST(WhatToBuy, LongerWindowsWhereStepsExplainMost) {
  const Advice advice = advise_replication(split_of(0.009, 0.002, {0, 0.004}), kCost, 20, 1);
  EXPECT_EQ(advice.buy, ReplicationLevel::kWindows);
  const double growth = std::sqrt(2.5 / 2.2) * 9 / 4;
  EXPECT_NEAR(advice.window_growth, growth, 1e-12);
  EXPECT_NEAR(advice.saved_share,
              1 - (4e-6 + 81e-6 / growth) * (2.5 + 2.2 * growth) / (85e-6 * 4.7), 1e-12);
}

TEST(WhatToBuy, NeitherWhereTheRunsCannotTell) {
  EXPECT_EQ(advise_replication(split_of(0.009, 0.005, {0, 0.03}), kCost, 5, 1).buy,
            ReplicationLevel::kUnsure);
}

TEST(WhatToBuy, ShortRunsThatCostNothingBesidesNeedNoLongerWindows) {
  EXPECT_EQ(advise_replication(split_of(0.009, 0, {0, 0.003}), {0.01, 2.2}, 20, 1).buy,
            ReplicationLevel::kRuns);
}

TEST(WhatToBuy, SessionsWhereTheyDifferAndAreMostOfIt) {
  auto split = split_of(0.002, 0.002, {0.001, 0.004});
  split.sessions = 0.01;
  split.sessions_ci95 = Interval{0.004, 0.06};
  EXPECT_EQ(advise_replication(split, kCost, 5, 3).buy, ReplicationLevel::kSessions);
  split.sessions_ci95 = Interval{0, 0.06};
  EXPECT_NE(advise_replication(split, kCost, 5, 3).buy, ReplicationLevel::kSessions)
      << "perhaps they do not";
  split.sessions_ci95 = Interval{0.0001, 0.06};
  split.sessions = 0.001;
  EXPECT_NE(advise_replication(split, kCost, 5, 3).buy, ReplicationLevel::kSessions)
      << "runs are more of it";
  EXPECT_EQ(advise_replication(split, kCost, 5, 2).buy, ReplicationLevel::kSessions)
      << "two have no interval";
}

}  // namespace
}  // namespace scalemark::statistics
