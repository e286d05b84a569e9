#include "tests/core/statistics/prediction/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalemark::prediction {
namespace {

constexpr double kGood = 0.01, kPoor = 0.05;  // misses

Trial trial(const std::string& source, std::size_t series, double missed, double doublings = 1,
            int world_size = 8) {
  return {source, series, {.reach = {false, doublings, world_size}, .rule = -std::log1p(missed)}};
}

// `series` of this source, which the rule misses by `missed`.
void add(std::vector<Trial>& trials, const std::string& source, int series, double missed) {
  for (int i = 0; i < series; ++i) trials.push_back(trial(source, trials.size(), missed));
}

TEST(Calibration, QuantilesFollowTheWeight) {
  EXPECT_EQ(weighted_quantile({{3, 1}, {1, 1}, {2, 1}}, 0.5), 2);
  EXPECT_EQ(weighted_quantile({{1, 1}, {2, 1}, {3, 8}}, 0.5), 3);
  EXPECT_EQ(weighted_quantile({{1, 1}, {2, 1}}, 0.5), 1);
  EXPECT_EQ(weighted_quantile({{1, 1}, {2, 1}}, 0.975), 2);
}

TEST(Calibration, ASeriesOfManyCountsWeighsAsMuchAsAnyOther) {
  std::vector<Trial> trials;
  for (int i = 0; i < 10; ++i) trials.push_back(trial("a", 0, kPoor));
  add(trials, "a", 2, kGood);
  EXPECT_NEAR(median_miss(trials), kGood, 1e-12);
  EXPECT_DOUBLE_EQ(weights_of(trials)[0], 0.1);
  EXPECT_DOUBLE_EQ(weights_of(trials)[10], 1);
}

TEST(Calibration, TooFewSeriesOrSourcesTestNothing) {
  std::vector<Trial> trials;
  add(trials, "a", 50, kGood);
  add(trials, "b", 50, kGood);
  EXPECT_TRUE(calibrate(trials).empty());
  add(trials, "c", 1, kGood);
  const auto tests = calibrate(trials);
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_EQ(tests[0].series, 101);
  EXPECT_EQ(tests[0].sources, 3);
  std::vector<Trial> few;
  for (const char* source : {"a", "b", "c", "d"}) add(few, source, 1, kGood);
  EXPECT_TRUE(calibrate(few).empty());
}

TEST(Calibration, TheLargestCountTestedIsOneThatEnoughReach) {
  std::vector<Trial> trials;
  for (const char* source : {"a", "b", "c"}) {
    for (int i = 0; i < 2; ++i) trials.push_back(trial(source, trials.size(), 0, 1, 32));
  }
  for (int i = 0; i < 9; ++i) trials.push_back(trial("a", trials.size(), 0, 1, 512));
  EXPECT_EQ(calibrate(trials).at(0).largest_world_size, 32);
}

TEST(Calibration, CoverageIsThatOfBandsMadeOfOtherSources) {
  std::vector<Trial> trials;
  for (const char* source : {"a", "b", "c"}) add(trials, source, 3, 0.01);
  add(trials, "odd", 3, 0.5);
  const auto tests = calibrate(trials);
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_NEAR(tests[0].band.low, 1 / 1.5, 1e-12);  // all sources: it holds the odd one
  EXPECT_NEAR(tests[0].coverage, 9.0 / 12, 1e-12);
}

TEST(Calibration, BandsAreNeverNarrowerFartherOut) {
  std::vector<Trial> trials;
  for (const char* source : {"a", "b", "c"}) {
    for (int i = 0; i < 2; ++i) {
      const std::size_t series = trials.size();
      trials.push_back(trial(source, series, 0.2, 1));
      trials.push_back(trial(source, series, 0.1, 2));
    }
  }
  const auto tests = calibrate(trials);
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_EQ(tests[1].band.low, tests[0].band.low);
  EXPECT_EQ(tests[1].band.high, 1);
}

}  // namespace
}  // namespace scalemark::prediction
