#include "core/prediction/doubling_rule.h"

#include <gtest/gtest.h>

namespace scalemark::prediction {
namespace {

// E(64) = E(8) x 0.98^3: a step takes 1 / 0.98^3 times as long.
TEST(DoublingRule, EfficiencyFallsByTwoPercentPerDoubling) {
  EXPECT_DOUBLE_EQ(rule_step_s(0.1, 8, 64), 0.1 / (0.98 * 0.98 * 0.98));
  EXPECT_DOUBLE_EQ(rule_step_s(0.1, 8, 8), 0.1);
  EXPECT_NEAR(rule_step_s(0.1, 8, 12), 0.1 / 0.988252, 1e-7);  // 0.98^0.584963
  EXPECT_DOUBLE_EQ(rule_step_s(0.1, 1, 2, 0.5), 0.2);
}

}  // namespace
}  // namespace scalemark::prediction
