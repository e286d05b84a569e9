#include <gtest/gtest.h>

#include <cmath>

#include "core/statistics/variance_split.h"

namespace scalemark::statistics {
namespace {

TEST(KnownWellEnough, FromTenRepetitionsOnWithANarrowInterval) {
  EXPECT_TRUE(known_well_enough({10, 0.0075, {}}, 0.0076));
  EXPECT_FALSE(known_well_enough({10, 0.0077, {}}, 0.0076));
  EXPECT_FALSE(known_well_enough({9, 0.0001, {}}, 0.5)) << "nine are not looked at";
  EXPECT_FALSE(known_well_enough({50, {}, {}}, 0.5)) << "two sessions have no interval";
}

// Ten runs with s = 2 %: half-width 2.262 x 2 % / sqrt(10) = 1.431 %. For 1 % it takes 18 runs
// (t(.975, 17) = 2.110: 0.995 %; with 17: 1.028 %).
TEST(RepetitionsNeeded, ByTheSpreadThatTheIntervalShows) {
  const StopQuantity quantity{10, std::sinh(2.262157 * 0.02 / std::sqrt(10.0)), {}};
  EXPECT_EQ(repetitions_needed(quantity, 0.01), 18u);
  EXPECT_EQ(repetitions_needed(quantity, 0.5), kRepetitionsBeforeLooking);
}

// All of the spread is of steps: windows four times as long halve it.
TEST(RepetitionsNeeded, LongerWindowsLowerWhatStepsExplain) {
  const double half_width = std::sinh(2.262157 * 0.02 / std::sqrt(10.0));
  const StopQuantity steps{10, half_width, {{0.0004, 2}}};
  EXPECT_EQ(repetitions_needed(steps, 0.01), 18u);
  EXPECT_EQ(repetitions_needed(steps, 0.005, 8), 18u);
  EXPECT_EQ(repetitions_needed(steps, 0.01, 1), 18u) << "shorter ones are not asked for";
  const StopQuantity runs{10, half_width, {{1e-8, 2}}};
  EXPECT_EQ(repetitions_needed(runs, 0.01, 8), 18u);
}

// In a pair, the steps of each side count with their own windows.
TEST(RepetitionsNeeded, BothSidesOfAPairHaveWindows) {
  const double half_width = std::sinh(2.262157 * 0.02 / std::sqrt(10.0));
  const StopQuantity pair{10, half_width, {{0.0002, 2}, {0.0002, 8}}};
  // 2 % squared by 0.625: s = 1.58 %.
  const StopQuantity same{10, std::sinh(2.262157 * 0.02 * std::sqrt(0.625 / 10)), {}};
  EXPECT_EQ(repetitions_needed(pair, 0.005, 8), repetitions_needed(same, 0.005));
}

TEST(RepetitionsNeeded, NobodyKnowsWithoutAnInterval) {
  EXPECT_FALSE(repetitions_needed({1, {}, {}}, 0.01));
  EXPECT_FALSE(repetitions_needed({10, 0.5, {}}, 1e-6)) << "more than a million";
}

}  // namespace
}  // namespace scalemark::statistics
