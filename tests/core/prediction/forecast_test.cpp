#include "core/prediction/forecast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalemark::prediction {
namespace {

// 1, 2, 4, 8 ranks on nodes of four.
Measured flat_then(double last_step_s) {
  Measured made;
  for (const int ranks : {1, 2, 4}) made.points.push_back({ranks, layout_of(ranks, 4), 0.1});
  made.points.push_back({8, layout_of(8, 4), last_step_s});
  return made;
}

Forecast of(const Measured& measured, int ranks, int ranks_per_node,
            std::span<const PublishedTest> tests = published_tests()) {
  return forecast(fit(measured), measured, ranks, layout_of(ranks, ranks_per_node), tests);
}

TEST(Forecast, SaysWhatItRestsOn) {
  const Forecast near = of(flat_then(0.1), 32, 4);
  EXPECT_FALSE(near.assumed_link);
  EXPECT_FALSE(near.indicative);
  EXPECT_TRUE(of(flat_then(0.1), 33, 4).indicative);
  EXPECT_NEAR(near.model_step_s, 0.1, 1e-9);
  EXPECT_NEAR(near.rule_step_s, 0.1 / (0.98 * 0.98), 1e-12);
  Measured one_node = flat_then(0.1);
  one_node.points.pop_back();
  EXPECT_TRUE(of(one_node, 8, 4).assumed_link);
  EXPECT_FALSE(of(one_node, 8, 8).assumed_link);
  one_node.known_links[kInterNode] = {1e-5, 1e-10};
  EXPECT_FALSE(of(one_node, 8, 4).assumed_link);
}

// What is new to the measured points is new, however well its speed is known.
TEST(Forecast, ReachOverALinkLevelThatNoPointUsed) {
  Measured one_node = flat_then(0.1);
  one_node.points.pop_back();
  one_node.known_links[kInterNode] = {1e-5, 1e-10};
  EXPECT_TRUE(reach_of(one_node, 8, layout_of(8, 4)).new_link_level);
  EXPECT_FALSE(reach_of(one_node, 8, layout_of(8, 8)).new_link_level);
  EXPECT_FALSE(reach_of(flat_then(0.1), 16, layout_of(16, 4)).new_link_level);
  EXPECT_DOUBLE_EQ(reach_of(flat_then(0.1), 32, layout_of(32, 4)).doublings, 2);
}

TEST(Forecast, TheRulePredictsUnlessTestsPreferTheModel) {
  const PublishedTest rule{.doublings = 1, .largest_world_size = 64, .difference_high = 0.001};
  PublishedTest model = rule;
  model.difference_low = model.difference_high = -0.001;
  const Measured series = flat_then(0.12);
  const Forecast by_rule = of(series, 16, 4, {&rule, 1}), by_model = of(series, 16, 4, {&model, 1});
  EXPECT_EQ(by_rule.predictor, Predictor::kRule);
  EXPECT_EQ(predicted_step_s(by_rule), by_rule.rule_step_s);
  EXPECT_EQ(by_model.predictor, Predictor::kModel);
  EXPECT_EQ(predicted_step_s(by_model), by_model.model_step_s);
  EXPECT_TRUE(by_model.test);
}

TEST(Forecast, BeyondWhatWasTestedThereIsNoBandAndTheRulePredicts) {
  PublishedTest model{.doublings = 1, .largest_world_size = 64};
  model.difference_low = model.difference_high = -0.001;
  for (const int ranks : {17, 1024}) {
    const Forecast far = of(flat_then(0.12), ranks, 4, {&model, 1});
    EXPECT_FALSE(far.test) << ranks;
    EXPECT_EQ(far.predictor, Predictor::kRule) << ranks;
  }
  EXPECT_FALSE(of(flat_then(0.12), 128, 4).test);  // 16 times: by what the program ships
  EXPECT_TRUE(of(flat_then(0.12), 16, 4).test);
}

TEST(Forecast, BelowTheLargestCountTheModelRunsThroughWhatWasMeasured) {
  Measured series = flat_then(0.12);
  series.points.erase(series.points.begin() + 2);  // 1, 2, 8
  const Forecast between = of(series, 4, 4);
  EXPECT_EQ(between.predictor, Predictor::kModel);
  EXPECT_TRUE(between.below_largest);
  EXPECT_FALSE(between.test);
}

TEST(LeaveLargestOut, ByModelAndByRule) {
  const auto left_out = leave_largest_out(flat_then(0.12));
  ASSERT_TRUE(left_out);
  EXPECT_NEAR(left_out->model, 0.2, 1e-9);
  EXPECT_NEAR(left_out->rule, 0.2 * 0.98 - 0.02, 1e-12);
  Measured two = flat_then(0.12);
  two.points.resize(2);
  EXPECT_FALSE(leave_largest_out(two));
}

}  // namespace
}  // namespace scalemark::prediction
