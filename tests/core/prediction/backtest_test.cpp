#include "tests/core/prediction/backtest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/core/prediction/study_series.h"

namespace scalemark::prediction {
namespace {

Measured series(std::initializer_list<double> steps_s) {
  Measured made;
  int ranks = 1;
  for (const double step_s : steps_s) {
    made.points.push_back({ranks, layout_of(ranks, 4), step_s});
    ranks *= 2;
  }
  return made;
}

TEST(Backtest, EachPrefixPredictsEachLargerCount) {
  const auto tests = backtest(series({0.1, 0.1, 0.1, 0.12}));
  ASSERT_EQ(tests.size(), 3u);  // 1, 2 -> 4 and 8; 1, 2, 4 -> 8
  EXPECT_EQ(tests[0].fitted, 2u);
  EXPECT_EQ(tests[0].predicted, 2u);
  EXPECT_NEAR(tests[0].model, 0, 1e-12);
  EXPECT_NEAR(tests[0].rule, -std::log(0.98), 1e-12);
  EXPECT_EQ(tests[1].predicted, 3u);
  EXPECT_DOUBLE_EQ(tests[1].reach.doublings, 2);
  EXPECT_TRUE(tests[1].reach.new_link_level);  // 8 ranks stand on two nodes
  EXPECT_EQ(tests[2].fitted, 3u);
  EXPECT_NEAR(tests[2].last_efficiency_holds, std::log(0.1 / 0.12), 1e-12);
}

TEST(Backtest, OtherRulesFromTheSameTest) {
  const Backtest test = backtest(series({0.1, 0.11, 0.12})).front();
  EXPECT_NEAR(log_ratio_with_loss(test, 0.02), test.rule, 1e-12);
  EXPECT_NEAR(log_ratio_with_loss(test, 0), std::log(0.11 / 0.12), 1e-12);
  EXPECT_NEAR(log_ratio_with_slope(test, 1), std::log(0.11 * 1.1 / 0.12), 1e-12);
  EXPECT_EQ(backtest(series({0.1, 0.09, 0.1})).front().last_slope, 0);
  EXPECT_NEAR(miss(std::log(0.8)), 0.25, 1e-12);  // measured 20 % less than predicted
}

double quantile(const std::vector<Backtest>& tests, double Backtest::*of, std::size_t place) {
  std::vector<double> misses;
  for (const Backtest& test : tests) misses.push_back(miss(test.*of));
  std::sort(misses.begin(), misses.end());
  return misses.at(place);
}

// docs/PREDICTION.md: the largest count of each series, predicted by the others.
TEST(Published, TheModelIsNoBetterThanTwoPercentPerDoubling) {
  std::vector<Backtest> largest;
  for (const auto& one : published_series(SCALEMARK_SOURCE_DIR)) {
    largest.push_back(backtest(one.measured).back());
    ASSERT_EQ(largest.back().fitted + 1, one.measured.points.size());
  }
  ASSERT_EQ(largest.size(), 263u);
  EXPECT_NEAR(quantile(largest, &Backtest::last_efficiency_holds, 131), 0.0294, 0.0001);
  EXPECT_NEAR(quantile(largest, &Backtest::model, 131), 0.0214, 0.0001);
  EXPECT_NEAR(quantile(largest, &Backtest::rule, 131), 0.0214, 0.0001);
  EXPECT_NEAR(quantile(largest, &Backtest::model, 236), 0.127, 0.002);  // p90
  EXPECT_NEAR(quantile(largest, &Backtest::rule, 236), 0.130, 0.002);
}

}  // namespace
}  // namespace scalemark::prediction
