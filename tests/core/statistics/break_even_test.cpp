#include <gtest/gtest.h>

#include "core/statistics/efficiency.h"

namespace scalemark::statistics {
namespace {

// Starts 10 s later and gains 0.1 x (190 / 100 - 1) = 0.09 s per step: 111.1 steps.
TEST(BreakEven, LaterStartIsWonBack) { EXPECT_EQ(break_even_steps({5, 100}, {15, 190}, 0.1), 112); }

TEST(BreakEven, AheadFromTheStart) { EXPECT_EQ(break_even_steps({5, 100}, {4, 190}, 0.1), 0); }

TEST(BreakEven, NeverWithoutSpeedUp) {
  EXPECT_FALSE(break_even_steps({5, 100}, {15, 100}, 0.1));
  EXPECT_FALSE(break_even_steps({5, 100}, {4, 90}, 0.1));
}

}  // namespace
}  // namespace scalemark::statistics
