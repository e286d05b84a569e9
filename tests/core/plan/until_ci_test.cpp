#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/enough.h"

namespace scalemark::planning {
namespace {

PointPrecision point(double half_width, double of_steps = 0) {
  return {.sessions = 1,
          .throughput = {.repetitions = 10,
                         .half_width = half_width,
                         .steps = {{of_steps * of_steps, 2.2}}},
          .efficiencies = {}};
}

// A block takes 10 s besides its windows of 2.2 s.
double block_s(double window_s) { return 10 + std::max(2.2, window_s); }

TEST(IsReached, NeedsThroughputAndEveryEfficiency) {
  PointPrecision both = point(0.005);
  EXPECT_TRUE(is_reached(both, 0.01));
  both.efficiencies.push_back({10, 0.009, {}});
  EXPECT_TRUE(is_reached(both, 0.01));
  both.efficiencies.push_back({10, 0.011, {}});
  EXPECT_FALSE(is_reached(both, 0.01));
  EXPECT_FALSE(is_reached(point(0.011), 0.01));
}

TEST(OutlookOf, IsThatOfTheNumberFurthestFromIt) {
  Precisions points{{"a", point(0.02)}, {"b", point(0.005)}};
  points["b"].efficiencies.push_back({10, 0.03, {}});
  const auto ahead = outlook_of(points, 0.01, block_s);
  ASSERT_TRUE(ahead);
  EXPECT_EQ(ahead->group, "b");
  EXPECT_TRUE(ahead->of_efficiency);
  EXPECT_EQ(ahead->repetitions, statistics::repetitions_needed(points["b"].efficiencies[0], 0.01));
  EXPECT_FALSE(ahead->longer) << "runs differ beyond their steps";
  EXPECT_EQ(to_text(*ahead), "the efficiency of b is known to 3.0 %; about " +
                                 std::to_string(*ahead->repetitions) + " repetitions are needed");
  points.erase("b");
  EXPECT_FALSE(outlook_of(points, 0.02, block_s)) << "all is reached";
}

// Half-width 2 % of ten runs is a spread of 2.8 %, all of it the steps'. 33 repetitions reach 1 %;
// as a block costs 10 s besides its windows, windows of 9 s do it in 10, and in half of the time.
TEST(OutlookOf, LongerWindowsWhereTheyTakeLessTime) {
  const Precisions points{{"a", point(0.02, 0.03)}};
  const auto ahead = outlook_of(points, 0.01, block_s);
  ASSERT_TRUE(ahead && ahead->longer);
  EXPECT_GT(ahead->longer->window_s, 2.2);
  EXPECT_LT(ahead->longer->repetitions, *ahead->repetitions);
  const double long_s =
      static_cast<double>(ahead->longer->repetitions) * block_s(ahead->longer->window_s);
  EXPECT_LT(long_s, 0.9 * static_cast<double>(*ahead->repetitions) * block_s(0));
  EXPECT_NE(to_text(*ahead).find(" repetitions are needed, or windows of "), std::string::npos);
  // Where a window is all that a block costs, nothing is won.
  EXPECT_FALSE(outlook_of(points, 0.01, [](double s) { return std::max(2.2, s); })->longer);
}

TEST(OutlookOf, WithoutAnIntervalNobodyKnows) {
  Precisions points{{"a", point(0.02)}, {"b", point(0.5)}};
  points["a"].throughput.half_width.reset();
  const auto ahead = outlook_of(points, 0.01, block_s);
  ASSERT_TRUE(ahead);
  EXPECT_EQ(ahead->group, "a");
  EXPECT_FALSE(ahead->repetitions);
  EXPECT_EQ(to_text(*ahead), "a has no interval");
}

}  // namespace
}  // namespace scalemark::planning
