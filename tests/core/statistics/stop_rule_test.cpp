#include "core/statistics/stop_rule.h"

#include <gtest/gtest.h>

#include <vector>

namespace scalemark::statistics {
namespace {

// 99 and 101 in turn, ten runs: s = 0.01054, half-width 2.262 s / sqrt(10) = 0.754 %.
std::vector<double> alternating(std::size_t runs) {
  std::vector<double> values;
  for (std::size_t i = 0; i < runs; ++i) values.push_back(i % 2 == 0 ? 99 : 101);
  return values;
}

TEST(StopRule, ReachedFromTenRepetitionsOn) {
  EXPECT_TRUE(known_well_enough(alternating(10), 0.0076));
  EXPECT_FALSE(known_well_enough(alternating(10), 0.0075));
}

TEST(StopRule, NineAreNotLookedAt) {
  EXPECT_FALSE(known_well_enough(std::vector<double>(9, 100.0), 0.5));
  EXPECT_TRUE(known_well_enough(std::vector<double>(10, 100.0), 0.5));
}

TEST(StopRule, WaitsForTheLastPoint) {
  std::vector<std::vector<double>> points(3, alternating(10));
  EXPECT_TRUE(all_known_well_enough(points, 0.01));
  for (double& value : points[1]) value = value < 100 ? 90 : 110;
  EXPECT_FALSE(all_known_well_enough(points, 0.01));
}

TEST(StopRule, NoPointNeedsNoBlock) { EXPECT_TRUE(all_known_well_enough({}, 0.01)); }

}  // namespace
}  // namespace scalemark::statistics
