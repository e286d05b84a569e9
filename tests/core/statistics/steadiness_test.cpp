// Tests check_steady(), pooled_steady() and has_settled() on series whose truth is known. The
// numbers behind them are compared with numpy and scipy in oracle_test.py.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/statistics/steadiness/change_point.h"
#include "core/statistics/steadiness/steady.h"

namespace scalemark::statistics {
namespace {

using Shape = std::function<double(double)>;  // level at x, 0 to 1 over the series

std::vector<double> steps(int n, double cv, const Shape& level, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, cv);
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(level((i + 0.5) / n) * noise(random));
  return values;
}

double flat(double) { return 0.1; }
double ramp(double x) { return 0.1 * (1 + 0.1 * x); }
double slowed_from(double x, double from) { return x < from ? 0.1 : 0.11; }

bool says(const std::string& text, const char* part) { return text.find(part) != text.npos; }

TEST(Clipping, TakesInWhatIsFarFromTheMedian) {
  // Median 3, MAD 1: the limit is 3 + 6 x 1.4826.
  EXPECT_EQ(clipped(std::vector<double>{1, 2, 3, 4, 100}),
            (std::vector<double>{1, 2, 3, 4, 3 + 6 * 1.4826}));
  EXPECT_EQ(clipped(std::vector<double>{1, 1, 1, 5}), (std::vector<double>{1, 1, 1, 5}));
}

TEST(Steady, ALongQuietWindowIs) {
  const auto check = check_steady(steps(1000, 0.005, flat));
  EXPECT_EQ(check.steady, true) << check.reason;
  EXPECT_LT(check.bias_bound.value(), 0.005);
  EXPECT_FALSE(check.change_step);
}

TEST(Steady, IsUnknownWithItsNumberWhereABiasCouldHide) {
  const auto check = check_steady(steps(110, 0.05, flat));
  EXPECT_FALSE(check.steady);
  EXPECT_GT(check.bias_bound.value(), 0.005);
  char number[32];
  std::snprintf(number, sizeof number, "%.2f %%", 100 * *check.bias_bound);
  EXPECT_TRUE(says(check.reason, number)) << check.reason;
}

TEST(Steady, ARampIsNot) {
  const auto check = check_steady(steps(400, 0.02, ramp));
  EXPECT_EQ(check.steady, false) << check.reason;
  EXPECT_TRUE(says(check.reason, "rise")) << check.reason;
  EXPECT_FALSE(check.change_step) << "a ramp has no step at which it begins";
}

TEST(Steady, TheEndOfAWarmUpIsNot) {
  const auto check =
      check_steady(steps(400, 0.02, [](double x) { return 0.1 * (1 + 0.1 * std::exp(-x / 0.2)); }));
  EXPECT_EQ(check.steady, false) << check.reason;
  EXPECT_TRUE(says(check.reason, "fall as in a warm-up")) << check.reason;
  EXPECT_NEAR(check.biases->at(2), 0.02, 0.005);
}

TEST(Steady, AThrottleInTheLastFifthIsNotAndHasItsStep) {
  for (const double cv : {0.005, 0.02}) {
    const auto check = check_steady(steps(400, cv, [](double x) { return slowed_from(x, 0.8); }));
    EXPECT_EQ(check.steady, false) << check.reason;
    EXPECT_NEAR(static_cast<double>(check.change_step.value()), 320, 1);
    EXPECT_TRUE(says(check.reason, "longer")) << check.reason;
  }
}

// A CPU quota slows a process like this: it stands still for 40 ms of each 100, which is one step
// of 200 where a step takes 0.3 ms, and clipping takes that for an outlier.
TEST(Steady, ALevelMadeOfStallsIsSeen) {
  const auto stalled_from = [](double from) {
    auto values = steps(10000, 0.02, [](double) { return 0.0003; });
    for (std::size_t i = 0; i < values.size(); i += 200) {
      if (static_cast<double>(i) >= from * static_cast<double>(values.size())) values[i] += 0.04;
    }
    return values;
  };
  const auto half_way = check_steady(stalled_from(0.5));
  EXPECT_EQ(half_way.steady, false) << half_way.reason;
  EXPECT_NEAR(static_cast<double>(half_way.change_step.value()), 5000, 300);
  const auto all_the_time = check_steady(stalled_from(0));
  EXPECT_NE(all_the_time.steady, false) << all_the_time.reason;
}

TEST(Steady, FewStepsAreNeverAccused) {
  EXPECT_EQ(check_steady(steps(200, 0.005, ramp)).steady, false);
  const auto check = check_steady(steps(199, 0.005, ramp));
  EXPECT_FALSE(check.steady);
  EXPECT_TRUE(says(check.reason, "199 steps of one run (< 200)")) << check.reason;
}

TEST(Steady, NineteenStepsSayNothingAndTwentyGiveABound) {
  EXPECT_EQ(check_steady(steps(19, 0.01, flat)).reason, "fewer than 20 steps");
  EXPECT_FALSE(check_steady(steps(19, 0.01, flat)).bias_bound);
  EXPECT_TRUE(check_steady(steps(20, 0.01, flat)).bias_bound);
}

TEST(Steady, OutliersAreNoChange) {
  auto values = steps(1000, 0.005, flat);
  for (std::size_t i = 900; i < 1000; i += 20) values[i] *= 10;  // all in the last tenth
  EXPECT_EQ(check_steady(values).steady, true) << check_steady(values).reason;
}

TEST(Steady, ALoadThatComesAndGoesIsUnknown) {
  const auto check = check_steady(
      steps(1000, 0.005, [](double x) { return 0.1 * (1 + 0.05 * std::sin(20 * x)); }));
  EXPECT_FALSE(check.steady) << check.reason;
}

TEST(Steady, EqualStepsAre) {
  EXPECT_EQ(check_steady(std::vector<double>(200, 0.25)).steady, true);
}

// More points than are fitted: neighbours are averaged, and the step is still named.
TEST(Steady, AHundredThousandStepsAreJudgedToo) {
  const auto check =
      check_steady(steps(100'000, 0.05, [](double x) { return slowed_from(x, 0.5); }));
  EXPECT_EQ(points_of(100'000), 4000u);
  EXPECT_EQ(check.steady, false) << check.reason;
  EXPECT_NEAR(static_cast<double>(check.change_step.value()), 50'000, 100);
}

std::vector<WindowVerdict> windows(int runs, int n, double cv, const Shape& level) {
  std::vector<WindowVerdict> all;
  for (int run = 0; run < runs; ++run) {
    const auto check = check_steady(steps(n, cv, level, 10 + static_cast<unsigned>(run)));
    all.push_back({check.steady, check.bias_bound, check.biases});
  }
  return all;
}

TEST(Pooled, RunsTogetherKnowWhatNoneKnowsAlone) {
  const auto quiet = windows(5, 1000, 0.02, flat);
  const auto pooled = pooled_steady(quiet);
  EXPECT_EQ(pooled.steady, true) << pooled.reason;
  EXPECT_LT(pooled.bias_bound.value(), 0.005);

  const auto rising = windows(5, 110, 0.01, ramp);
  for (const auto& run : rising) EXPECT_FALSE(run.steady) << "too few steps in each";
  EXPECT_EQ(pooled_steady(rising).steady, false);
}

TEST(Pooled, OneRunThatFailsIsAnAccidentAndMostAreNot) {
  auto runs = windows(5, 1000, 0.01, flat);
  runs[0].steady = false;
  EXPECT_EQ(pooled_steady(runs).steady, true);
  runs[1].steady = false;
  EXPECT_FALSE(pooled_steady(runs).steady);
  runs[2].steady = false;
  EXPECT_EQ(pooled_steady(runs).steady, false);
  EXPECT_EQ(pooled_steady(runs).reason, "3 of 5 runs are not steady");
}

TEST(Pooled, TwoRunsSayWhatBothSay) {
  auto runs = windows(2, 1000, 0.005, flat);
  EXPECT_EQ(pooled_steady(runs).steady, true);
  runs[0].steady.reset();
  EXPECT_FALSE(pooled_steady(runs).steady);
  EXPECT_EQ(pooled_steady(runs).bias_bound, std::max(runs[0].bias_bound, runs[1].bias_bound));
  EXPECT_FALSE(pooled_steady({}).bias_bound);
}

TEST(Settling, IsSeenInTheLaterHalf) {
  const auto after = [](double falls) {
    return [=](double x) { return 0.1 * (1 + 3 * std::exp(-x / falls)); };
  };
  EXPECT_TRUE(has_settled(steps(1000, 0.01, flat)));
  EXPECT_TRUE(has_settled(steps(1000, 0.01, after(0.05)))) << "e^-20 is left";
  EXPECT_FALSE(has_settled(steps(1000, 0.01, after(0.3))));
  EXPECT_FALSE(has_settled(steps(1000, 0.01, ramp))) << "a chip that grows hot";
  EXPECT_TRUE(has_settled(steps(19, 0.01, after(0.3)))) << "too few to tell";
}

}  // namespace
}  // namespace scalemark::statistics
