#include "core/statistics/steady.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace scalemark::statistics {
namespace {

// 1 s steps, the second half longer by `shift`, spread by +- amplitude / 2.
std::vector<double> steps(int n, double shift, double amplitude) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    values.push_back((i < n / 2 ? 1.0 : 1.0 + shift) +
                     amplitude * ((i * 7919 % 1009) / 1009.0 - 0.5));
  }
  return values;
}

// Literals: the same rule in numpy and scipy (t(.995, 18) = 2.8784).
TEST(Steady, AClearShiftIsFalse) {
  const auto check = check_steady(steps(400, 0.02, 0.1));
  ASSERT_TRUE(check.steady);
  EXPECT_FALSE(*check.steady);
  EXPECT_NEAR(*check.drift, 0.01959592030060309, 1e-12);
  EXPECT_NEAR(*check.t_se, 0.0026537142093220477, 1e-10);
  EXPECT_NEAR(*check.lag1, -0.4194323195279834, 1e-9);
}

TEST(Steady, TheSameShiftInTooFewStepsIsUnknown) {
  const auto check = check_steady(steps(399, 0.02, 0.1));
  EXPECT_FALSE(check.steady);
  EXPECT_NE(check.reason.find("399 steps"), std::string::npos) << check.reason;
}

TEST(Steady, AShiftBelowHalfAPercentDoesNotCount) {  // significant: 0.395 % > t SE = 0.054 %
  EXPECT_EQ(check_steady(steps(400, 0.004, 0.02)).steady, true);
}

TEST(Steady, NoShiftIsTrue) { EXPECT_EQ(check_steady(steps(400, 0, 0.1)).steady, true); }

TEST(Steady, TooMuchNoiseIsUnknown) {  // t SE = 14 %
  EXPECT_FALSE(check_steady(steps(40, 0, 0.5)).steady);
}

TEST(Steady, ARampIsCorrelatedAndThereforeUnknown) {
  std::vector<double> ramp;
  for (int i = 0; i < 800; ++i) ramp.push_back(1 + 0.1 * i / 800);
  const auto check = check_steady(ramp);
  EXPECT_FALSE(check.steady);
  EXPECT_NE(check.reason.find("correlated"), std::string::npos) << check.reason;
}

// 39 steps are no multiple of 20: the last 19 must not be left out.
TEST(Steady, AShiftInTheLastStepsOfAnOddWindowIsSeen) {
  std::vector<double> values(20, 0.1);
  values.resize(39, 0.2);
  const auto check = check_steady(values);
  EXPECT_FALSE(check.steady) << check.reason;
  EXPECT_NEAR(*check.drift, 2.0 / 3, 0.05);
}

TEST(Steady, NineteenStepsSayNothing) { EXPECT_FALSE(check_steady(steps(19, 0, 0)).steady); }

// The promise of t(.995): independent steps are called unsteady in about 1 % of windows.
TEST(Steady, RarelyAccusesAQuietMachine) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(1, 0.05);
  int accused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> window(400);
    for (auto& step : window) step = noise(random);
    accused += check_steady(window).steady == false;
  }
  EXPECT_LT(accused, 40);
}

TEST(Steady, FindsAShiftOfTwoPercent) {
  std::mt19937 random(4);
  std::normal_distribution<double> noise(1, 0.05);
  int found = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> window(800);
    for (std::size_t i = 0; i < window.size(); ++i)
      window[i] = noise(random) * (i < 400 ? 1 : 1.02);
    found += check_steady(window).steady == false;
  }
  EXPECT_GT(found, 400);
}

}  // namespace
}  // namespace scalemark::statistics
