#include "core/statistics/prediction/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "tests/core/statistics/prediction/backtest.h"

namespace scalemark::prediction {
namespace {

// 100 samples/s of each rank up to 4, and 800 x `efficiency` of 8; four ranks on a node.
std::vector<MeasuredPoint> flat_then(double efficiency) {
  return {{1, 1, 100}, {2, 1, 200}, {4, 1, 400}, {8, 2, 800 * efficiency}};
}

Forecast of(const std::vector<MeasuredPoint>& measured, int ranks, int ranks_per_node = 4) {
  const int nodes = (ranks + ranks_per_node - 1) / ranks_per_node;
  return forecast(measured, ranks, nodes).value();
}

// METRICS.md, "Prediction": 3,200 x 0.98^2 = 3,073.
TEST(Forecast, EfficiencyFallsByTwoPercentPerDoubling) {
  EXPECT_NEAR(of(flat_then(1), 32).samples_per_sec, 3200 * 0.98 * 0.98, 1e-9);
  EXPECT_NEAR(of(flat_then(0.5), 16).samples_per_sec, 1600 * 0.5 * 0.98, 1e-9);
  EXPECT_NEAR(of(flat_then(1), 12).samples_per_sec, 1200 * 0.988252, 1e-3);  // 0.98^0.584963
  EXPECT_EQ(of(flat_then(1), 32).predictor, Predictor::kRule);
}

// Efficiency 1 at 2 ranks, 0.8 at 8: 0.9 half way, which is 4.
TEST(Forecast, BetweenTwoCountsItRunsOnALine) {
  auto series = flat_then(0.8);
  series.erase(series.begin() + 2);
  const Forecast between = of(series, 4);
  EXPECT_NEAR(between.samples_per_sec, 400 * 0.9, 1e-9);
  EXPECT_EQ(between.predictor, Predictor::kInterpolation);
  EXPECT_FALSE(between.test);
  EXPECT_FALSE(between.indicative);
  EXPECT_NEAR(of(series, 6).samples_per_sec, 600 * (1 - 0.2 * std::log(3) / std::log(4)), 1e-9);
}

TEST(Forecast, BelowTheSmallestCountThereIsNone) {
  const std::vector<MeasuredPoint> series = {{2, 1, 200}, {4, 1, 400}};
  EXPECT_FALSE(forecast(series, 1, 1));
  EXPECT_TRUE(forecast(series, 3, 1));
}

TEST(Forecast, SaysHowFarItGoes) {
  EXPECT_FALSE(of(flat_then(1), 32).assumed_link);
  EXPECT_FALSE(of(flat_then(1), 32).indicative);
  EXPECT_TRUE(of(flat_then(1), 33).indicative);
  EXPECT_FALSE(of(flat_then(1), 128).test);  // 16 times: no series goes so far
  EXPECT_TRUE(of(flat_then(1), 16).test);
  auto one_node = flat_then(1);
  one_node.pop_back();
  EXPECT_TRUE(of(one_node, 8).assumed_link);
  EXPECT_FALSE(of(one_node, 8, 8).assumed_link);
  const std::vector<MeasuredPoint> one_each = {{1, 1, 100}, {2, 2, 200}};
  EXPECT_TRUE(of(one_each, 4, 2).assumed_link);  // the link within a node is assumed
  EXPECT_FALSE(of(one_each, 4, 1).assumed_link);
  EXPECT_DOUBLE_EQ(reach_of(flat_then(1), 32, 8).doublings, 2);
}

TEST(Forecast, RefusesNonsense) {
  EXPECT_THROW(forecast(std::vector<MeasuredPoint>{{1, 1, 100}}, 4, 1), Error);
  EXPECT_THROW(forecast(std::vector<MeasuredPoint>{{2, 1, 100}, {1, 1, 100}}, 4, 1), Error);
  EXPECT_THROW(forecast(std::vector<MeasuredPoint>{{1, 1, 100}, {1, 1, 100}}, 4, 1), Error);
  EXPECT_THROW(forecast(std::vector<MeasuredPoint>{{1, 1, 100}, {2, 1, 0}}, 4, 1), Error);
  EXPECT_THROW(forecast(flat_then(1), 4, 1), Error);
}

TEST(Forecast, TheLargestCountIsTriedWithoutItsRow) {
  const auto missed = miss_of_the_largest(flat_then(0.8));
  ASSERT_TRUE(missed);
  EXPECT_NEAR(*missed, 0.98 / 0.8 - 1, 1e-12);
  EXPECT_FALSE(miss_of_the_largest(std::vector<MeasuredPoint>{{1, 1, 100}, {2, 1, 200}}));
}

const std::vector<PublishedTest> kPlanted = {
    {.new_link_level = false, .doublings = 1, .largest_world_size = 64},
    {.new_link_level = false, .doublings = 2, .largest_world_size = 32},
    {.new_link_level = true, .doublings = 1, .largest_world_size = 16}};

TEST(PublishedTests, AReachFindsItsClass) {
  EXPECT_EQ(test_of(kPlanted, {false, 1, 16}), &kPlanted[0]);
  EXPECT_EQ(test_of(kPlanted, {false, 0.2, 16}), &kPlanted[0]);
  EXPECT_EQ(test_of(kPlanted, {false, 1.1, 16}), &kPlanted[1]);
  EXPECT_EQ(test_of(kPlanted, {true, 1, 16}), &kPlanted[2]);
}

TEST(PublishedTests, WhatNoSeriesTriedIsNotTestable) {
  EXPECT_EQ(test_of(kPlanted, {false, 1, 65}), nullptr);    // no series has so many ranks
  EXPECT_EQ(test_of(kPlanted, {false, 2.1, 32}), nullptr);  // none reaches so far beyond
  EXPECT_EQ(test_of(kPlanted, {true, 2, 16}), nullptr);     // none crosses a new kind of link
  EXPECT_EQ(test_of(kPlanted, {false, 0, 8}), nullptr);     // this is not beyond at all
  EXPECT_EQ(test_of(kPlanted, {false, -1, 4}), nullptr);
}

TEST(PublishedTests, NoneOfThoseInTheProgramStandsOnTooLittle) {
  ASSERT_FALSE(published_tests().empty());
  for (const PublishedTest& test : published_tests()) {
    EXPECT_GE(test.series, kFewestSeries);
    EXPECT_GE(test.sources, kFewestSources);
    EXPECT_GT(test.largest_world_size, 1);
    EXPECT_LE(test.doublings, kMostDoublings);
    EXPECT_LE(test.band.low, 1);
    EXPECT_GE(test.band.high, 1);
    EXPECT_GT(test.coverage, 0.5);
  }
}

std::vector<MeasuredPoint> with_steps(std::initializer_list<double> steps_s) {
  std::vector<MeasuredPoint> made;
  int ranks = 1;
  for (const double step_s : steps_s) {
    made.push_back({ranks, (ranks + 3) / 4, ranks / step_s});
    ranks *= 2;
  }
  return made;
}

TEST(Backtest, EachPrefixPredictsEachLargerCount) {
  const auto tests = backtest(with_steps({0.1, 0.1, 0.1, 0.12}));
  ASSERT_EQ(tests.size(), 3u);  // 1, 2 -> 4 and 8; 1, 2, 4 -> 8
  EXPECT_EQ(tests[0].fitted, 2u);
  EXPECT_NEAR(tests[0].rule, -std::log(0.98), 1e-12);
  EXPECT_DOUBLE_EQ(tests[1].reach.doublings, 2);
  EXPECT_TRUE(tests[1].reach.new_link_level);  // 8 ranks stand on two nodes
  EXPECT_EQ(tests[2].fitted, 3u);
  EXPECT_NEAR(tests[2].last_efficiency_holds, std::log(0.1 / 0.12), 1e-12);
}

TEST(Backtest, OtherRulesFromTheSameTest) {
  const Backtest test = backtest(with_steps({0.1, 0.11, 0.12})).front();
  EXPECT_NEAR(log_ratio_with_loss(test, 0.02), test.rule, 1e-12);
  EXPECT_NEAR(log_ratio_with_loss(test, 0), std::log(0.11 / 0.12), 1e-12);
  EXPECT_NEAR(log_ratio_with_slope(test, 1), std::log(0.11 * 1.1 / 0.12), 1e-12);
  EXPECT_EQ(backtest(with_steps({0.1, 0.09, 0.1})).front().last_slope, 0);
  EXPECT_NEAR(miss(std::log(0.8)), 0.25, 1e-12);  // measured 20 % less than predicted
}

}  // namespace
}  // namespace scalemark::prediction
