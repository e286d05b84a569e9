#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/statistics/runs.h"

namespace scalemark::statistics {
namespace {

// Runs of two points in turn, with these values of ln X.
std::vector<TimedRun> in_turn(const std::vector<double>& ln_rates) {
  std::vector<TimedRun> runs;
  for (const double value : ln_rates) {
    runs.push_back({runs.size() % 2, static_cast<double>(runs.size()), std::exp(value)});
  }
  return runs;
}

TEST(CorrelationOfRuns, StatesThatLastAreSeen) {
  std::vector<double> waves;
  for (int i = 0; i < 40; ++i) waves.push_back(0.01 * std::sin(i / 3.0));
  const auto found = correlation_of_runs(in_turn(waves));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->significant);
  EXPECT_GT(found->lag1, 0.7);
}

TEST(CorrelationOfRuns, ADriftIsNone) {
  std::vector<double> falling;
  for (int i = 0; i < 40; ++i) falling.push_back(-0.01 * i + (i * 7 % 5 < 2 ? 0.001 : -0.001));
  const auto found = correlation_of_runs(in_turn(falling));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->significant);
}

TEST(CorrelationOfRuns, AlternatingRunsAreNotSuspicious) {
  std::vector<double> zigzag;
  for (int i = 0; i < 40; ++i) zigzag.push_back(i / 2 % 2 ? 0.01 : -0.01);
  EXPECT_LT(correlation_of_runs(in_turn(zigzag))->lag1, 0.2);
}

TEST(CorrelationOfRuns, IsAbsentWhereNothingCanBeSaid) {
  EXPECT_FALSE(correlation_of_runs(in_turn({0, 0.1, 0.2, 0.1})));
  EXPECT_FALSE(correlation_of_runs(in_turn({0, 0, 0, 0, 0, 0}))) << "all equal";
}

TEST(CorrelationOfRuns, DoesNotDependOnTheOrderGiven) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(0.01 * std::cos(i * i));
  auto runs = in_turn(values);
  const double lag1 = correlation_of_runs(runs)->lag1;
  std::swap(runs[3], runs[17]);
  EXPECT_DOUBLE_EQ(correlation_of_runs(runs)->lag1, lag1);
}

TEST(IntervalGrowth, IndependentRunsNeedNone) {
  EXPECT_DOUBLE_EQ(interval_growth(std::vector<double>{0, 4, 8}, 0).value(), 1);
}

// Neighbours, correlation 1/2: V = (2 + 2 x 0.5) / 2 = 1.5, growth = sqrt(1.5 / 0.5).
TEST(IntervalGrowth, OfTwoNeighbours) {
  EXPECT_NEAR(interval_growth(std::vector<double>{6, 7}, 0.5).value(), std::sqrt(3.0), 1e-12);
}

TEST(IntervalGrowth, FarApartRunsAreIndependent) {
  EXPECT_NEAR(interval_growth(std::vector<double>{0, 50, 100}, 0.5).value(), 1, 1e-9);
}

TEST(IntervalGrowth, OneValueHasNone) {
  EXPECT_FALSE(interval_growth(std::vector<double>{3}, 0.5));
  EXPECT_FALSE(interval_growth(std::vector<double>{3, 4}, 1));
}

}  // namespace
}  // namespace scalemark::statistics
