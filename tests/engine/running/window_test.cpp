#include "engine/running/window.h"

#include <gtest/gtest.h>

namespace scalemark::running {
namespace {

using planning::RunLength;

TEST(WindowSteps, AreThoseAskedFor) { EXPECT_EQ(window_steps({.iters = 7}, 0.5), 7); }

TEST(WindowSteps, AreAtLeastAHundred) { EXPECT_EQ(window_steps(RunLength{}, 0.5), 100); }

TEST(WindowSteps, LastAtLeastTwoSecondsWithATenthToSpare) {
  EXPECT_EQ(window_steps(RunLength{}, 0.001), 2200);
}

TEST(WindowSteps, LastAsLongAsMinTimeAsks) {
  EXPECT_EQ(window_steps({.least_window_s = 60}, 0.1), 660);
}

TEST(WindowSteps, AreAHundredWhenNothingWasWarmedUp) {
  EXPECT_EQ(window_steps({.least_window_s = 60}, 0), 100);
}

TEST(WindowSteps, StayWithinWhatAPresetAllows) {
  EXPECT_EQ(window_steps({.most_window_s = 4}, 0.1), 40);
}

TEST(WindowSteps, AreNeverFewerThanFive) { EXPECT_EQ(window_steps({.most_window_s = 4}, 3), 5); }

}  // namespace
}  // namespace scalemark::running
