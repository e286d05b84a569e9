#include "core/prediction/forecast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalemark::prediction {
namespace {

Measured flat_then(double last_step_s) {
  Measured made;
  for (const int ranks : {1, 2, 4}) made.points.push_back({ranks, layout_of(ranks, 4), 0.1});
  made.points.push_back({8, layout_of(8, 4), last_step_s});
  return made;
}

TEST(Forecast, SaysWhatItRestsOn) {
  const Fit found = fit(flat_then(0.1));
  const Forecast near = forecast(found, 8, 32, layout_of(32, 4));
  EXPECT_FALSE(near.assumed_link);
  EXPECT_FALSE(near.indicative);
  EXPECT_TRUE(forecast(found, 8, 33, layout_of(33, 4)).indicative);
  EXPECT_NEAR(near.step_s, 0.1, 1e-9);
  Measured one_node = flat_then(0.1);
  one_node.points.pop_back();
  const Fit within = fit(one_node);
  EXPECT_TRUE(forecast(within, 4, 8, layout_of(8, 4)).assumed_link);
  EXPECT_FALSE(forecast(within, 4, 8, layout_of(8, 8)).assumed_link);
  one_node.known_links[kInterNode] = {1e-5, 1e-10};
  EXPECT_FALSE(forecast(fit(one_node), 4, 8, layout_of(8, 4)).assumed_link);
}

TEST(Forecast, BandsWidenWithDistance) {
  const Fit found = fit(flat_then(0.11));
  Band last{1, 1};
  for (const int ranks : {16, 32, 64, 128, 1024, 1 << 20}) {
    const Band band = forecast(found, 8, ranks, layout_of(ranks, 4)).band;
    EXPECT_LE(band.low, last.low);
    EXPECT_GE(band.high, last.high);
    EXPECT_GT(band.low, 0);
    last = band;
  }
}

TEST(Backtest, EachPrefixPredictsEachLargerCount) {
  const auto tests = backtest(flat_then(0.12));
  ASSERT_EQ(tests.size(), 3u);  // 1, 2 -> 4 and 8; 1, 2, 4 -> 8
  EXPECT_EQ(tests[0].fitted, 2u);
  EXPECT_EQ(tests[0].predicted, 2u);
  EXPECT_NEAR(tests[0].model.log_ratio, 0, 1e-12);
  EXPECT_EQ(tests[1].predicted, 3u);
  EXPECT_DOUBLE_EQ(tests[1].model.octaves, 2);
  EXPECT_TRUE(tests[1].model.assumed_link);  // 8 ranks stand on two nodes
  EXPECT_EQ(tests[2].fitted, 3u);
  EXPECT_NEAR(tests[2].last_efficiency_holds.log_ratio, std::log(0.1 / 0.12), 1e-12);
}

}  // namespace
}  // namespace scalemark::prediction
