#include "core/statistics/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/statistics/significance.h"

namespace scalemark::statistics {
namespace {

constexpr auto kSession = ComparedUnit::kSession;
constexpr auto kOneSession = ComparedUnit::kRunOfOneSession;
constexpr auto kSameSession = ComparedUnit::kRunOfTheSameSession;

const std::vector<double> kOld{100, 101, 99, 100.5, 99.5};

std::vector<double> times(double factor) {
  std::vector<double> runs{100.2, 99.8, 100, 101, 99};
  for (double& run : runs) run *= factor;
  return runs;
}

TEST(Welch, OfKnownSeries) {  // literals from scipy.stats.ttest_ind(equal_var=False)
  const Welch test =
      welch_test(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{2, 4, 6, 8, 10, 13});
  EXPECT_NEAR(test.difference, 4.1666667, 1e-7);
  EXPECT_NEAR(test.difference / test.standard_error, 2.3312620, 1e-7);
  EXPECT_NEAR(test.degrees, 6.7378235, 1e-7);
  EXPECT_NEAR(test.p, 0.0539139, 1e-7);
  EXPECT_NEAR(test.interval(0.90).low, 0.7605561, 1e-7);
  EXPECT_NEAR(test.interval(0.90).high, 7.5727773, 1e-7);
}

TEST(Welch, WithoutAnySpread) {
  const std::vector<double> a{1, 1, 1}, b{2, 2, 2};
  EXPECT_EQ(welch_test(a, b).p, 0);
  EXPECT_EQ(welch_test(a, a).p, 1);
  EXPECT_THROW(welch_test(a, std::vector<double>{2}), Error);
}

TEST(Holm, AdjustsInOrder) {  // 4 x .01, 3 x .02, max(.06, 2 x .03), 1 x .5
  const auto adjusted = holm_adjusted(std::vector<double>{0.5, 0.01, 0.03, 0.02});
  EXPECT_NEAR(adjusted[1], 0.04, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[0], 0.5, 1e-12);
}

TEST(Holm, NeverFallsAndNeverExceedsOne) {
  const auto adjusted = holm_adjusted(std::vector<double>{0.02, 0.021, 0.7});
  EXPECT_NEAR(adjusted[0], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[1], 0.06, 1e-12);  // 2 x .021 = .042 would stand below its predecessor
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.6, 0.6})[0], 1);
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(ComparePoints, TheFourAnswers) {  // literals from scipy, on logarithms
  const auto changes = compare_points(
      std::vector<PointSides>{
          {kOld, times(0.95)}, {kOld, times(1)}, {kOld, times(1.05)}, {kOld, times(0.985)}},
      kSession);
  EXPECT_EQ(changes[0].change, Change::kSlower);
  EXPECT_NEAR(*changes[0].relative, -0.0499960, 1e-7);
  EXPECT_NEAR(changes[0].ci90->low, -0.0584217, 1e-7);
  EXPECT_NEAR(changes[0].ci90->high, -0.0414949, 1e-7);
  EXPECT_NEAR(*changes[0].p_adjusted, 4 * 5.380563e-06, 1e-9);
  EXPECT_EQ(changes[1].change, Change::kSame);
  EXPECT_EQ(changes[2].change, Change::kFaster);
  // Significant alone, smaller than 2 %, and 2.4 % is not excluded.
  EXPECT_EQ(changes[3].change, Change::kUnsure);
}

TEST(ComparePoints, TheThresholdDecides) {
  const std::vector<PointSides> point{{kOld, times(0.985)}};
  EXPECT_EQ(compare_points(point, kSession, 0.01)[0].change, Change::kSlower);
  EXPECT_EQ(compare_points(point, kSession, 0.03)[0].change, Change::kSame);
}

TEST(ComparePoints, TwoUnitsAreTooFew) {
  const auto changes =
      compare_points(std::vector<PointSides>{{{100, 101}, {50, 51, 50}}, {kOld, {}}}, kSession);
  EXPECT_EQ(changes[0].change, Change::kUnsure);
  EXPECT_TRUE(changes[0].relative);
  EXPECT_FALSE(changes[0].ci90);
  EXPECT_FALSE(changes[0].p_adjusted);
  EXPECT_FALSE(changes[0].smallest_found);
  EXPECT_EQ(changes[1].change, Change::kUnsure);
  EXPECT_FALSE(changes[1].relative);
}

// A point that cannot be tested is no member of the family: it does not blunt the others.
TEST(ComparePoints, UntestedPointsCostNothing) {
  const auto changes =
      compare_points(std::vector<PointSides>{{{100}, {90}}, {kOld, times(0.95)}}, kSession);
  EXPECT_NEAR(*changes[1].p_adjusted, 5.380563e-06, 1e-9);
}

// Where each side is one session, no number of runs makes a difference the program's.
TEST(ComparePoints, OneSessionEachIsNeverSlowerOrFaster) {
  const std::vector<PointSides> points{
      {kOld, times(0.95)}, {kOld, times(1)}, {kOld, times(1.05)}, {kOld, times(0.985)}};
  const auto changes = compare_points(points, kOneSession);
  EXPECT_EQ(changes[0].change, Change::kDiffers);
  EXPECT_EQ(changes[1].change, Change::kSame);
  EXPECT_EQ(changes[2].change, Change::kDiffers);
  EXPECT_EQ(changes[3].change, Change::kUnsure);
  EXPECT_EQ(name_of(changes[0].change), "differs");
  EXPECT_EQ(compare_points(points, kSameSession)[0].change, Change::kSlower);
}

TEST(ComparePoints, TheSmallestChangeFoundKnowsTheFamily) {  // literals from scipy
  const std::vector<PointSides> one{{kOld, times(1)}};
  EXPECT_NEAR(*compare_points(one, kSession)[0].smallest_found, 0.0201609419, 1e-7);
  const std::vector<PointSides> twelve(12, one[0]);
  EXPECT_NEAR(*compare_points(twelve, kSession)[11].smallest_found, 0.0283192213, 1e-7);
}

// 2.5 % slower, known to 1.3 %: certainly slower, not certainly by 2 %.
TEST(ComparePoints, MoreThanZeroIsNotMoreThanTheThreshold) {
  const auto changes =
      compare_points(std::vector<PointSides>{{kOld, times(0.975)}, {kOld, times(0.95)}}, kSession);
  EXPECT_EQ(changes[0].change, Change::kSlower);
  EXPECT_TRUE(changes[0].is_significant);
  EXPECT_FALSE(changes[0].exceeds_threshold);
  EXPECT_TRUE(changes[1].exceeds_threshold);
}

TEST(ComparePoints, SwappedSidesSwapTheAnswer) {
  const auto there = compare_points(std::vector<PointSides>{{kOld, times(0.95)}}, kSession);
  const auto back = compare_points(std::vector<PointSides>{{times(0.95), kOld}}, kSession);
  EXPECT_EQ(back[0].change, Change::kFaster);
  EXPECT_NEAR((1 + *there[0].relative) * (1 + *back[0].relative), 1, 1e-12);
}

// One definition of 2 %, of the ratio: what counts for an effect counts old against new, on both
// sides of it.
TEST(ChangeThatCounts, IsTheSameForEffectsAndComparisons) {
  for (const double ratio : {0.9799, 0.9801, 0.99, 1.0199, 1.0201}) {
    const bool counts = ratio < 0.98 || ratio > 1.02;
    std::vector<double> before, after, log_ratios;
    for (const double noise : {-2e-7, -1e-7, 0.0, 1e-7, 2e-7}) {
      before.push_back(100 * std::exp(noise));
      after.push_back(100 * ratio * std::exp(-noise));
      log_ratios.push_back(std::log(ratio) + noise);
    }
    const auto effect = judge_effects(std::vector<std::vector<double>>{log_ratios}).at(0);
    const std::vector<PointSides> sides{{before, after}};
    const auto change = compare_points(sides, ComparedUnit::kRunOfTheSameSession).at(0);
    EXPECT_EQ(effect.verdict, counts ? EffectVerdict::kReal : EffectVerdict::kNone) << ratio;
    EXPECT_EQ(change.change, !counts     ? Change::kSame
                             : ratio < 1 ? Change::kSlower
                                         : Change::kFaster)
        << ratio;
    EXPECT_EQ(change.exceeds_threshold, counts) << ratio;
  }
}

}  // namespace
}  // namespace scalemark::statistics
