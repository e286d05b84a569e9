#include "engine/train/window.h"

#include <gtest/gtest.h>

#include "engine/train/point.h"
#include "engine/train/warmup/warm_up.h"

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

TEST(LaterStep, IsTheMeanOfTheLaterStepsElseTheFirstElseUnknown) {
  EXPECT_DOUBLE_EQ(later_step_s(10, 5, 3.0), 0.5);
  EXPECT_DOUBLE_EQ(later_step_s(0, 1e-7, 3.0), 3);    // --warmup-iters 1
  EXPECT_EQ(later_step_s(0, 1e-7, std::nullopt), 0);  // --warmup-iters 0
}

TEST(ScheduledSteps, AreThoseOfWarmupAndWindowWhenBothAreKnown) {
  EXPECT_EQ(scheduled_steps({.iters = 50, .warmup_iters = 5}), 55);
  EXPECT_EQ(scheduled_steps({.iters = 5000, .warmup_iters = 5}), 5005);
}

// A warm-up of 2 s or more has an unknown number of steps: the window must not stand behind the
// schedule's end, at rate 0.
TEST(ScheduledSteps, AreAtLeastAThousandWhenTheyAreNot) {
  EXPECT_EQ(scheduled_steps({}), 1000);
  EXPECT_EQ(scheduled_steps({.warmup_iters = 5}), 1000);
  EXPECT_EQ(scheduled_steps({.iters = 10}), 1000);
  EXPECT_EQ(scheduled_steps({.iters = 5000}), 5000);
}

}  // namespace
}  // namespace scalemark::running
