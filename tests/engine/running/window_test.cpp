#include "engine/running/window.h"

#include <gtest/gtest.h>

namespace scalemark::running {
namespace {

TEST(WindowSteps, AreThoseAskedFor) { EXPECT_EQ(window_steps(7, 60, 0.5), 7); }

TEST(WindowSteps, AreAtLeastAHundred) { EXPECT_EQ(window_steps(std::nullopt, 0, 0.5), 100); }

TEST(WindowSteps, LastAtLeastTwoSecondsWithATenthToSpare) {
  EXPECT_EQ(window_steps(std::nullopt, 0, 0.001), 2200);
}

TEST(WindowSteps, LastAsLongAsMinTimeAsks) { EXPECT_EQ(window_steps(std::nullopt, 60, 0.1), 660); }

TEST(WindowSteps, AreAHundredWhenNothingWasWarmedUp) {
  EXPECT_EQ(window_steps(std::nullopt, 60, 0), 100);
}

}  // namespace
}  // namespace scalemark::running
