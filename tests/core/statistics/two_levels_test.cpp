#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/statistics/significance.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

using Series = std::vector<std::vector<double>>;

TEST(JudgeLevels, FindsTheRunsBelowTheLargestGap) {
  const auto answer = judge_levels(Series{{100, 95.1, 100.2, 95, 99.9}}).at(0).value();
  EXPECT_EQ(answer.runs, 5u);
  EXPECT_EQ(answer.slow_runs, 2u);
  EXPECT_NEAR(answer.gap, std::log(99.9 / 95.1), 1e-12);
  EXPECT_NEAR(answer.slower_by, std::log(std::cbrt(100 * 100.2 * 99.9) / std::sqrt(95.1 * 95)),
              1e-12);
  EXPECT_TRUE(answer.two);
}

TEST(JudgeLevels, RunsOfOneLevelAreOne) {
  EXPECT_FALSE(judge_levels(Series{{100, 101, 99, 100.5, 98}}).at(0)->two);
  EXPECT_FALSE(judge_levels(Series{{100, 100, 100}}).at(0)->two);
}

TEST(JudgeLevels, AGapOfOnePercentIsNone) {  // a billionth between the others
  EXPECT_FALSE(judge_levels(Series{{100, 100 + 1e-7, 99.01}}).at(0)->two);
  EXPECT_TRUE(judge_levels(Series{{100, 100 + 1e-7, 98.99}}).at(0)->two);
}

TEST(JudgeLevels, TheMoreSeriesTheLessOneMeans) {
  const std::vector<double> odd{100, 100.4, 99.7, 96, 100.1}, even{100, 101, 99, 100.5, 98.5};
  EXPECT_TRUE(judge_levels(Series{odd}).at(0)->two);
  Series many(40, even);
  many.push_back(odd);
  EXPECT_FALSE(judge_levels(many).back()->two);
}

TEST(JudgeLevels, TwoRunsHaveNoAnswer) {
  const auto answers = judge_levels(Series{{100, 50}, {}, {100, 100.1, 50}});
  EXPECT_FALSE(answers.at(0));
  EXPECT_FALSE(answers.at(1));
  EXPECT_TRUE(answers.at(2)->two);
  EXPECT_THROW(judge_levels(Series{{1, 0, 1}}), Error);
}

TEST(JudgeLevels, OfVeryManyRunsNothingOverflows) {
  std::vector<double> rates(3000, 100);
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] += 0.001 * static_cast<double>(i % 7);
  EXPECT_FALSE(judge_levels(Series{rates}).at(0)->two);
}

// 2^(R - 1) and P of so many runs are numbers that no double holds.
TEST(JudgeLevels, OfTenThousandRunsTwoLevelsAreFoundAndOneIsOne) {
  for (const std::size_t runs : {1024u, 1025u, 1440u, 10000u}) {
    std::vector<double> one(runs);
    for (std::size_t i = 0; i < runs; ++i) {
      const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(runs);
      one[i] = 100 * std::exp(0.005 * normal_quantile(place));
    }
    EXPECT_FALSE(judge_levels(Series{one}).at(0)->two) << runs;
    std::vector<double> two = one;
    for (std::size_t i = 0; i < runs; i += 3) two[i] *= 0.9;
    const auto answer = judge_levels(Series{two}).at(0).value();
    EXPECT_TRUE(answer.two) << runs << ": p = " << answer.p;
    EXPECT_EQ(answer.slow_runs, (runs + 2) / 3);
  }
}

TEST(ShareThatMayBeMissed, SolvesOneMinusPToTheR) {
  EXPECT_NEAR(share_that_may_be_missed(5), 0.4507, 1e-4);
  EXPECT_NEAR(share_that_may_be_missed(1), 0.95, 1e-12);
  EXPECT_NEAR(std::pow(1 - share_that_may_be_missed(20), 20), 0.05, 1e-12);
}

}  // namespace
}  // namespace scalemark::statistics
