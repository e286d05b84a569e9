#include "core/statistics/summary.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"

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

}  // namespace
}  // namespace scalemark::statistics
