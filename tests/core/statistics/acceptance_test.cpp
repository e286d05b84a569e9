#include "core/statistics/acceptance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"

namespace scalemark::statistics {
namespace {

using enum AcceptanceOutcome;
using Why = AcceptanceReason;
using Parts = std::vector<AcceptancePart>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Three repetitions around each level, apart by the same.
Parts parts_at(const std::vector<double>& levels, double apart = 0.002) {
  Parts parts;
  for (const double level : levels) parts.push_back({{level - apart, level, level + apart}});
  return parts;
}

std::vector<double> repeated(double level, std::size_t times, double apart = 0.002) {
  std::vector<double> values;
  for (std::size_t k = 0; k < times; ++k) values.push_back(level + (k % 2 == 0 ? apart : -apart));
  return values;
}

void expect(const AcceptanceJudgement& judgement, AcceptanceOutcome outcome, Why reason) {
  EXPECT_EQ(name_of(judgement.outcome), name_of(outcome));
  EXPECT_EQ(name_of(judgement.reason), name_of(reason));
}

// Figures of the tests below: numpy 2.4.6 and scipy 1.17.1 by the formulas of the header
// (oracle_test.py has the same function, for random classes).
TEST(JudgeClass, FailsTheSlowOneOfFourAgainstTheHighest30Percent) {
  const Parts parts{{{0.000, 0.004, 0.002}},
                    {{0.006, 0.002, 0.004}},
                    {{0.001, -0.003, -0.001}},
                    {{-0.097, -0.103, -0.100}}};
  const auto judgement = judge_class(parts, {});
  EXPECT_NEAR(judgement.limit, std::log(0.95), 1e-15);
  EXPECT_NEAR(judgement.reference->ln_value, 0.002, 1e-12);  // the second highest of four
  EXPECT_NEAR(judgement.reference->standard_error, 0.0013228756555, 1e-12);
  EXPECT_NEAR(judgement.reference->lifted_by, 0.00024759231, 1e-12);
  EXPECT_NEAR(*judgement.spread, std::sqrt((3 * 4 + 9) / 4.0) * 1e-3,
              1e-12);  // few parts: the mean
  for (const int healthy : {0, 1, 2}) {
    expect(judgement.parts[healthy], kPass, Why::kAboveLimit);
    EXPECT_EQ(judgement.parts[healthy].repetitions, 3u);
    EXPECT_NEAR(*judgement.parts[healthy].half_width, 0.0076092445, 1e-10);
  }
  expect(judgement.parts[3], kFail, Why::kBelowLimit);
  EXPECT_NEAR(*judgement.parts[3].from_reference, -0.102, 1e-12);
  EXPECT_NEAR(*judgement.parts[3].half_width, 0.0083118783, 1e-10);
  EXPECT_EQ(judgement.doubt, AcceptanceDoubt::kNone);  // one in four, and not more
}

TEST(JudgeClass, FromEightPartsOnTheNoiseIsByTheMedianOfVariances) {
  Parts parts = parts_at({0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, -0.06});
  const auto judgement = judge_class(parts, {});
  EXPECT_NEAR(judgement.reference->ln_value, 0.004, 1e-12);  // the third highest of eight
  EXPECT_NEAR(judgement.reference->standard_error, 0.00090472172113, 1e-12);
  EXPECT_NEAR(judgement.reference->lifted_by, 0.00034019066, 1e-11);
  EXPECT_NEAR(*judgement.spread, 0.0024022448, 1e-10);
  EXPECT_NEAR(*judgement.parts[7].half_width, 0.0055914119, 1e-10);
  EXPECT_NEAR(*judgement.smallest_decidable, 0.05647836135984, 1e-12);
  expect(judgement.parts[7], kFail, Why::kBelowLimit);
  parts[7].values = {-0.3, 0, 0.3};  // does not widen the others'
  EXPECT_NEAR(*judge_class(parts, {}).spread, 0.0024022448, 1e-10);
}

TEST(JudgeClass, ABaselinesErrorAndBootsWidenTheBounds) {
  const Parts one{{{0.000, 0.004, 0.002}}};
  const auto exact = judge_class(one, {}, AcceptanceReference{.ln_value = 0.01});
  expect(exact.parts[0], kPass, Why::kAboveLimit);
  EXPECT_NEAR(*exact.parts[0].half_width, 0.0114602218, 1e-10);  // t(.995, 2) s / sqrt(3)
  const Parts four = parts_at({0.002, 0.004, -0.001, -0.1});
  const auto rough = judge_class(four, {}, AcceptanceReference{0, 0.002, 0.003});
  EXPECT_NEAR(*rough.parts[0].half_width, 4.032142983555 * std::sqrt(4e-6 / 3 + 13e-6), 1e-12);
  EXPECT_EQ(rough.reference->ln_value, 0);
}

TEST(JudgeClass, OneRunIsJudgedByTheSpreadOfTheClassFromEightParts) {
  Parts parts;
  for (int i = 0; i < 7; ++i) parts.push_back({{0.01 * i}});
  const AcceptanceRule once{.tolerance = 0.1, .looks = {1}};
  for (const auto& part : judge_class(parts, once).parts) expect(part, kUnsure, Why::kFewParts);
  parts.push_back({{-0.3}});
  const auto judgement = judge_class(parts, once);
  EXPECT_NEAR(*judgement.spread, 1.4826 * 0.02, 1e-12);
  EXPECT_NEAR(judgement.reference->ln_value, 0.04, 1e-12);
  EXPECT_EQ(judgement.reference->standard_error, 0);  // the spread of parts holds it
  EXPECT_NEAR(*judgement.parts[0].half_width, 2.33 * 1.4826 * 0.02, 1e-12);
  EXPECT_NEAR(*judgement.smallest_decidable, 0.21606607601811, 1e-12);
  expect(judgement.parts[7], kFail, Why::kBelowLimit);
  expect(judgement.parts[1], kPass, Why::kAboveLimit);  // -0.03 - 0.069 is above ln 0.9
  parts[3].values.push_back(-5);                        // runs beyond the only look do not count
  EXPECT_EQ(*judge_class(parts, once).parts[3].from_reference, *judgement.parts[3].from_reference);
}

TEST(JudgeClass, TheUndecidedAreRepeatedUntilTheLastLook) {
  Parts parts = parts_at({0, 0, 0, 0, 0, 0, 0, std::log(0.95)});
  auto judgement = judge_class(parts, {}).parts[7];
  expect(judgement, kRepeat, Why::kUndecided);
  EXPECT_EQ(judgement.more_repetitions, 2u);
  parts[7].values = repeated(std::log(0.95), 4);  // one beyond the look: it counts from the next on
  judgement = judge_class(parts, {}).parts[7];
  EXPECT_EQ(judgement.repetitions, 3u);
  EXPECT_EQ(judgement.more_repetitions, 1u);
  parts[7].values = repeated(std::log(0.95), 5);
  judgement = judge_class(parts, {}).parts[7];
  expect(judgement, kRepeat, Why::kUndecided);
  EXPECT_EQ(judgement.repetitions, 5u);
  EXPECT_EQ(judgement.more_repetitions, 5u);
  parts[7].values = repeated(std::log(0.95), 10);
  expect(judge_class(parts, {}).parts[7], kUnsure, Why::kLastLook);
  expect(judge_class(parts, {.looks = {3, 5}}).parts[7], kUnsure, Why::kLastLook);
  EXPECT_EQ(judge_class(parts, {.looks = {3, 5}}).parts[7].repetitions, 5u);
}

TEST(JudgeClass, TheFirstLookThatDecidesStands) {
  Parts parts = parts_at({0, 0, 0, 0, 0, 0, 0, 0});
  parts[2].values.insert(parts[2].values.end(), {-0.2, -0.2});
  expect(judge_class(parts, {}).parts[2], kPass, Why::kAboveLimit);
}

// Else noise and reference would be those of parts that are repeated because they vary or are slow.
TEST(JudgeClass, RepeatingSomePartsChangesNothingForTheOthers) {
  Parts parts = parts_at({0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, std::log(0.95)});
  const auto before = judge_class(parts, {});
  for (const int again : {6, 7}) {
    parts[again].values.insert(parts[again].values.end(), {-0.04, 0.02});
  }
  const auto after = judge_class(parts, {});
  EXPECT_EQ(after.reference->ln_value, before.reference->ln_value);
  EXPECT_EQ(*after.spread, *before.spread);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(*after.parts[i].half_width, *before.parts[i].half_width);
  }
  EXPECT_EQ(after.parts[7].repetitions, 5u);
}

TEST(JudgeClass, ARepetitionOfAllPartsIsUsedForAll) {
  Parts parts;
  for (int i = 0; i < 8; ++i) parts.push_back({repeated(0.001 * i, 5)});
  parts[7].values = repeated(std::log(0.95), 5);
  const auto five = judge_class(parts, {});
  EXPECT_EQ(five.parts[7].repetitions, 5u);
  // 4 x 5 values: 2 e-3 up or down around a mean of 0.4 e-3. The median of chi-squared with 4
  // degrees is 3.3566939800333215.
  EXPECT_NEAR(*five.spread, std::sqrt(4.8e-6 * 4 / 3.3566939800333215), 1e-12);
  EXPECT_NEAR(five.reference->ln_value, 0.0044, 1e-12);
  parts[0].values.pop_back();  // then it is not all parts that have five
  EXPECT_NEAR(judge_class(parts, {}).reference->ln_value, 0.004 + 0.002 / 3, 1e-12);
}

TEST(JudgeClass, WithoutValuesOrWithStrangeOnesNothingPasses) {
  Parts parts = parts_at({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  parts[0].values.clear();
  parts[1].values[1] = kNaN;
  parts[2].values[2] = -kInfinite;
  parts[3].values.pop_back();
  const auto judgement = judge_class(parts, {});
  expect(judgement.parts[0], kUnsure, Why::kMissing);
  expect(judgement.parts[1], kUnsure, Why::kNotFinite);
  expect(judgement.parts[2], kUnsure, Why::kNotFinite);
  expect(judgement.parts[3], kRepeat, Why::kFewRepetitions);
  EXPECT_EQ(judgement.parts[3].more_repetitions, 1u);
  EXPECT_FALSE(judgement.parts[3].from_reference);
  for (std::size_t i = 4; i < parts.size(); ++i) {
    expect(judgement.parts[i], kPass, Why::kAboveLimit);
  }
  EXPECT_TRUE(judge_class({}, {}).parts.empty());
  EXPECT_FALSE(judge_class({}, {}).reference);
  EXPECT_FALSE(judge_class(parts_at({0, 0}), {}).smallest_decidable);
}

TEST(JudgeClass, WithABaselineMissingPartsAreMissingToo) {
  const auto judgement = judge_class(Parts(3), {}, AcceptanceReference{});
  for (const auto& part : judgement.parts) expect(part, kUnsure, Why::kMissing);
  EXPECT_FALSE(judgement.spread);
  EXPECT_FALSE(judgement.smallest_decidable);
}

TEST(JudgeClass, FewerThanThreePartsHaveNoReference) {
  expect(judge_class(parts_at({0}), {}).parts[0], kUnsure, Why::kNoReference);
  for (const auto& part : judge_class(parts_at({0, 0.01}), {}).parts) {
    expect(part, kUnsure, Why::kNoReference);
    EXPECT_FALSE(part.from_reference);
  }
  for (const auto& part : judge_class(parts_at({0, 0.06}), {}).parts) {
    expect(part, kUnsure, Why::kOneOfTwo);
  }
  Parts three = parts_at({0, 0, 0});  // here others follow
  three[2].values.pop_back();
  expect(judge_class(three, {}).parts[0], kUnsure, Why::kNoReference);
  expect(judge_class(three, {}).parts[2], kRepeat, Why::kFewRepetitions);
}

TEST(JudgeClass, ValuesWithoutAnyNoiseAreComparedExactly) {
  const double below = std::log(0.94);
  const auto judgement = judge_class(parts_at({0, 0, 0, below}, 0), {});
  EXPECT_EQ(*judgement.spread, 0);
  EXPECT_EQ(*judgement.parts[0].half_width, 0);
  expect(judgement.parts[0], kPass, Why::kAboveLimit);
  expect(judgement.parts[3], kFail, Why::kBelowLimit);
  EXPECT_NEAR(*judgement.smallest_decidable, 0.05, 1e-15);
  const auto at_limit = judge_class(parts_at({0, 0, 0, std::log1p(-0.05)}, 0), {});
  expect(at_limit.parts[3], kRepeat, Why::kUndecided);
}

TEST(JudgeClass, AnUnsteadyPartPassesOnlyWhereMostAreUnsteadyAndNoBaselineJudges) {
  Parts parts = parts_at({0, 0, 0, 0, 0});
  parts[1].unsteady = true;
  expect(judge_class(parts, {}).parts[1], kUnsure, Why::kNotSteady);
  expect(judge_class(parts, {}).parts[0], kPass, Why::kAboveLimit);
  parts.resize(4);
  parts[2].unsteady = true;  // half of them, which is not most
  expect(judge_class(parts, {}).parts[1], kPass, Why::kAboveLimit);
  for (AcceptancePart& part : parts) part.unsteady = true;
  expect(judge_class(parts, {}).parts[1], kPass, Why::kAboveLimit);
  expect(judge_class(parts, {}, AcceptanceReference{}).parts[1], kUnsure, Why::kNotSteady);
  parts[1].values = {-0.3, -0.302, -0.298};
  expect(judge_class(parts, {}).parts[1], kFail, Why::kBelowLimit);
}

TEST(JudgeClass, IsInDoubtWhereManyDoNotPass) {
  const auto three_of_eight = parts_at({0, 0, 0, 0, 0, -0.1, -0.1, -0.1});
  const auto judgement = judge_class(three_of_eight, {});
  EXPECT_EQ(judgement.doubt, AcceptanceDoubt::kManyNotPassed);
  expect(judgement.parts[0], kUnsure, Why::kReferenceInDoubt);
  expect(judgement.parts[7], kFail, Why::kBelowLimit);
  const auto with_baseline = judge_class(three_of_eight, {}, AcceptanceReference{});
  EXPECT_EQ(with_baseline.doubt, AcceptanceDoubt::kNone);
  expect(with_baseline.parts[0], kPass, Why::kAboveLimit);
  const auto two_of_eight = judge_class(parts_at({0, 0, 0, 0, 0, 0, -0.1, -0.1}), {});
  EXPECT_EQ(two_of_eight.doubt, AcceptanceDoubt::kNone);
}

// Nine of ten are slow, and the one that is not shows it.
TEST(JudgeClass, IsInDoubtWhereSomeAreFasterThanTheReferenceByTheTolerance) {
  const auto judgement = judge_class(parts_at({0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0}), {});
  EXPECT_EQ(judgement.doubt, AcceptanceDoubt::kManyFaster);
  for (const auto& part : judgement.parts) expect(part, kUnsure, Why::kReferenceInDoubt);
  std::vector<double> many(20, 0.0);
  many[0] = 0.1;  // one in twenty, and not more
  EXPECT_EQ(judge_class(parts_at(many), {}).doubt, AcceptanceDoubt::kNone);
}

TEST(JudgeClass, TenRunsOfWhichTwoAreSurelySlowAreIntermittent) {
  Parts parts;
  for (int i = 0; i < 8; ++i) parts.push_back({repeated(0, 10)});
  parts[3].values[4] = parts[3].values[8] = -0.15;
  expect(judge_class(parts, {}).parts[3], kFail, Why::kIntermittent);
  // Where a share of (1/3 + 1) / (33 + 70) of runs is slow, two of 10 are in 0.7 %, three in 0.03
  // %.
  parts[5].values[7] = -0.15;
  expect(judge_class(parts, {}).parts[3], kPass, Why::kAboveLimit);
  parts[3].values[6] = -0.15;
  const auto judgement = judge_class(parts, {});
  expect(judgement.parts[3], kFail, Why::kIntermittent);
  EXPECT_EQ(judgement.parts[3].slow_runs, 3u);
  expect(judgement.parts[5], kPass, Why::kAboveLimit);
  EXPECT_EQ(judgement.parts[5].slow_runs, 1u);
  parts[3].values.pop_back();  // nine cannot tell
  expect(judge_class(parts, {}).parts[3], kPass, Why::kAboveLimit);
}

TEST(JudgeClass, APartThatIsNoisyInAllRunsIsNotIntermittent) {
  Parts parts;
  for (int i = 0; i < 8; ++i) parts.push_back({repeated(0, 10)});
  parts[3].values = repeated(-0.03, 10, 0.03);  // five runs 6 % below
  EXPECT_EQ(judge_class(parts, {}).parts[3].slow_runs, 0u);
}

// Slow runs that many parts show are no fault of one.
TEST(JudgeClass, WhereManyHaveSlowRunsNobodyIsIntermittent) {
  Parts parts;
  for (std::size_t i = 0; i < 64; ++i) {
    parts.push_back({repeated(0, 10)});
    if (i % 4 == 0) parts[i].values[3 + i % 3] = parts[i].values[7 + i % 3] = -0.15;
  }
  const auto judgement = judge_class(parts, {});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expect(judgement.parts[i], kPass, Why::kAboveLimit);
    EXPECT_EQ(judgement.parts[i].slow_runs, i % 4 == 0 ? 2u : 0u);
  }
}

// Ten nodes of one device. Later sessions have the undecided one, and `controls` others.
Parts measured_again(double session_by, std::size_t controls) {
  Parts parts = parts_at({0, 0.001, -0.001, 0.002, -0.002, 0, 0.001, -0.001, 0.003, -0.05});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].sessions = {0, 0, 0};
    if (i >= controls && i + 1 < parts.size()) continue;
    for (std::size_t k = 0; k < 7; ++k) {
      parts[i].values.push_back(parts[i].values[1] + session_by + (k % 2 == 0 ? 0.002 : -0.002));
      parts[i].sessions.push_back(k < 2 ? 1 : 2);
    }
  }
  return parts;
}

// Compared with the first session, one that is 2 % slower or faster as a whole would decide.
TEST(JudgeClass, WhatASessionHasInCommonDecidesNobody) {
  for (const double by : {0.0, -0.02, 0.02}) {
    const auto judgement = judge_class(measured_again(by, 2), {});
    expect(judgement.parts[9], kUnsure, Why::kLastLook);
    EXPECT_EQ(judgement.parts[9].repetitions, 10u);
    EXPECT_NEAR(*judgement.parts[9].from_reference, -0.051, 0.001);
    expect(judgement.parts[0], kPass, Why::kAboveLimit);
  }
  const auto alone = judge_class(measured_again(-0.02, 0), {});
  expect(alone.parts[9], kRepeat, Why::kNoControls);
  EXPECT_EQ(alone.parts[9].repetitions, 3u);
  expect(judge_class(measured_again(-0.02, 1), {}).parts[9], kRepeat, Why::kNoControls);
  const auto by_baseline = judge_class(measured_again(-0.02, 0), {}, AcceptanceReference{});
  expect(by_baseline.parts[9], kFail, Why::kBelowLimit);  // its own errors say how sessions differ
}

TEST(JudgeClass, KeepsOutOfTheReferenceWhatIsBeyondAllOthers) {
  std::vector<double> levels(128, 0.0);
  std::fill_n(levels.begin(), 8, std::log(2.0));
  levels[20] = -0.1;
  const auto judgement = judge_class(parts_at(levels), {});
  EXPECT_EQ(judgement.kept_out, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(judgement.doubt, AcceptanceDoubt::kNone);
  expect(judgement.parts[0], kPass, Why::kAboveLimit);
  expect(judgement.parts[20], kFail, Why::kBelowLimit);
  expect(judgement.parts[21], kPass, Why::kAboveLimit);
  levels[8] = std::log(2.0);  // nine of 128
  EXPECT_TRUE(judge_class(parts_at(levels), {}).kept_out.empty());
}

TEST(JudgeClass, RefusesARuleThatNoLookCanFollow) {
  const Parts parts = parts_at({0, 0, 0});
  const std::vector<std::vector<std::size_t>> strange{{}, {0}, {1, 3}, {5, 3}, {3, 3}};
  for (const auto& looks : strange) {
    EXPECT_THROW(judge_class(parts, {.looks = looks}), Error);
  }
  for (const double tolerance : {0.0, 1.0, -0.1, kNaN}) {
    EXPECT_THROW(judge_class(parts, {.tolerance = tolerance}), Error);
  }
}

TEST(IsNodeAtFault, FromTwoDevicesAndHalfOfThemOn) {
  EXPECT_FALSE(is_node_at_fault({}));
  const std::vector<AcceptanceOutcome> alone{kFail}, one_of_two{kFail, kPass}, two{kFail, kFail};
  EXPECT_FALSE(is_node_at_fault(alone));
  EXPECT_FALSE(is_node_at_fault(one_of_two));
  EXPECT_TRUE(is_node_at_fault(two));
  std::vector<AcceptanceOutcome> eight(8, kPass);
  std::fill_n(eight.begin(), 3, kFail);
  eight[3] = kUnsure;
  EXPECT_FALSE(is_node_at_fault(eight));
  eight[3] = kFail;
  EXPECT_TRUE(is_node_at_fault(eight));
}

}  // namespace
}  // namespace scalemark::statistics
