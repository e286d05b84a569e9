#include "core/statistics/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "core/statistics/others.h"

namespace scalemark::statistics {
namespace {

std::vector<double> scrambled(int n) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back((i * 7919 % 1009) / 1000.0 + 1);
  return values;
}

// Expected values: numpy 2 (mean, std(ddof=1), quantile of the same series).
TEST(Summary, EqualsNumpy) {
  const auto s = summarise(scrambled(1000));
  EXPECT_EQ(s.n, 1000);
  EXPECT_NEAR(s.mean, 1.5046780000000002, 1e-12);
  EXPECT_NEAR(*s.stdev, 0.2915048599927614, 1e-12);
  EXPECT_NEAR(s.p50.value(), 1.5055, 1e-12);
  EXPECT_NEAR(*s.p95, 1.9580499999999998, 1e-12);
  EXPECT_NEAR(*s.p99, 1.99801, 1e-12);
  EXPECT_EQ(s.min, 1.0);
  EXPECT_EQ(s.max, 2.008);
}

TEST(Summary, TailsOnlyWhereEnoughValuesStandAboveThem) {
  EXPECT_FALSE(summarise(scrambled(199)).p95);
  EXPECT_NEAR(*summarise(scrambled(200)).p95, 1.9602, 1e-12);
  EXPECT_FALSE(summarise(scrambled(999)).p99);
  EXPECT_TRUE(summarise(scrambled(1000)).p99);
}

TEST(Summary, OneValueHasNoSpread) {
  const auto s = summarise(std::vector<double>{2.5});
  EXPECT_EQ(s.p50, 2.5);
  EXPECT_FALSE(s.stdev);
}

TEST(Summary, RefusesAnEmptySeries) { EXPECT_THROW(summarise({}), Error); }

TEST(SummariseMeans, KnowsTheirNumberAndMeanAlone) {
  const std::vector<double> means(1000, 2.0);
  const Summary s = summarise_means(means);
  EXPECT_EQ(s.n, 1000);
  EXPECT_EQ(s.mean, 2.0);
  EXPECT_FALSE(s.p50 || s.p95 || s.p99 || s.min || s.max || s.stdev);
  EXPECT_THROW(summarise_means({}), Error);
}

// Held against sorting the others anew.
TEST(Others, AreWhatIsLeftOfTheSample) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (std::size_t size = 2; size < 40; ++size) {
    for (const double grain : {0.0, 0.5, 100.0}) {  // many, several and one value
      std::vector<double> sample;
      while (sample.size() < size) {
        const double value = normal(random);
        sample.push_back(grain > 0 ? std::round(value / grain) * grain : value);
      }
      const Others others(sample);
      for (std::size_t own = 1; own < std::min<std::size_t>(size, 5); ++own) {
        // The first values are in no order, so any of the sample are left out.
        const std::vector<double> rest(sample.begin() + own, sample.end());
        const std::vector<double> left_out(sample.begin(), sample.begin() + own);
        ASSERT_EQ(others.median(left_out), median(rest)) << size << " " << grain << " " << own;
        ASSERT_EQ(others.spread_by_median(left_out), spread_by_median(rest))
            << size << " " << grain << " " << own;
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::statistics
