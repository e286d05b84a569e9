#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/statistics/compare.h"

namespace scalemark::statistics {
namespace {

TEST(Abba, AQuadrupleIsTheMeanOfTwoBlocksEach) {
  const double blocks[] = {5.7, 4.5, 4.4, 5.6, 1, 2, 4, 3};
  const auto quadruples = abba_quadruples(blocks);
  ASSERT_EQ(quadruples.size(), 2u);
  EXPECT_DOUBLE_EQ(quadruples[0].with, 5.65);
  EXPECT_DOUBLE_EQ(quadruples[0].without, 4.45);
  EXPECT_DOUBLE_EQ(quadruples[1].with, 2);
  EXPECT_DOUBLE_EQ(quadruples[1].without, 3);
}

TEST(Abba, OneQuadrupleHasNoInterval) {
  const AbbaQuadruple one[] = {{.with = 5, .without = 4}};
  EXPECT_DOUBLE_EQ(abba_difference(one).value, 1);
  EXPECT_DOUBLE_EQ(abba_ratio(one).value, 0.8);
  EXPECT_FALSE(abba_difference(one).ci95 || abba_ratio(one).ci95);
}

// Differences 1, 1.2, 0.8, 1: mean 1, s = sqrt(0.08 / 3), t(.975, 3) = 3.18245.
TEST(Abba, TheIntervalIsStudentsOverTheQuadruples) {
  const AbbaQuadruple four[] = {{6, 5}, {6.2, 5}, {5.8, 5}, {6, 5}};
  const auto difference = abba_difference(four);
  const double half_width = 3.182446305284263 * std::sqrt(0.08 / 3 / 4);
  EXPECT_NEAR(difference.value, 1, 1e-12);
  EXPECT_NEAR(difference.ci95.value().low, 1 - half_width, 1e-9);
  EXPECT_NEAR(difference.ci95.value().high, 1 + half_width, 1e-9);
}

// ln(5/4), ln(5/4), ln(5/8), ln(5/8): the mean is ln(5 / sqrt(32)).
TEST(Abba, TheRatioIsOverLogarithms) {
  const AbbaQuadruple four[] = {{4, 5}, {8, 10}, {8, 5}, {16, 10}};
  const auto ratio = abba_ratio(four);
  EXPECT_NEAR(ratio.value, 5 / std::sqrt(32), 1e-12);
  EXPECT_NEAR(ratio.ci95.value().low * ratio.ci95.value().high, ratio.value * ratio.value, 1e-12);
}

TEST(Abba, ADriftThatIsLinearCancels) {
  const double blocks[] = {10, 9, 10, 13, 14, 13, 14, 17};  // + 1 per block, and 2 with
  for (const auto& [with, without] : abba_quadruples(blocks)) {
    EXPECT_DOUBLE_EQ(with - without, 2);
  }
}

TEST(Abba, RefusesWhatIsNoWholeQuadruple) {
  const double blocks[] = {1, 2, 3};
  EXPECT_THROW(abba_quadruples(blocks), Error);
  EXPECT_THROW(abba_quadruples({}), Error);
}

}  // namespace
}  // namespace scalemark::statistics
