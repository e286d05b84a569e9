#include "core/prediction/bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/prediction/forecast.h"
#include "tests/core/prediction/study_series.h"

namespace scalemark::prediction {
namespace {

std::vector<ForecastError> hundred(double octaves, bool assumed, double scale) {
  std::vector<ForecastError> errors;  // -50 .. 50 percent of `scale`
  for (int i = 0; i <= 100; ++i) errors.push_back({octaves, assumed, scale * (i - 50) / 100});
  return errors;
}

TEST(Bands, AreThePercentiles) {
  const BandTable table = calibrate(hundred(1, false, 0.2));
  EXPECT_NEAR(table.bands[0][0].low, std::exp(-0.095), 1e-12);
  EXPECT_NEAR(table.bands[0][0].high, std::exp(0.095), 1e-12);
}

TEST(Bands, AClassOfFewErrorsTakesItsPredecessors) {
  auto errors = hundred(1, false, 0.2);
  for (int i = 0; i < 19; ++i) errors.push_back({2, false, -3});
  const BandTable table = calibrate(errors);
  EXPECT_EQ(table.bands[0][1].low, table.bands[0][0].low);
  EXPECT_EQ(table.bands[1][2].high, table.bands[0][0].high);
  errors.push_back({2, false, -3});
  EXPECT_NEAR(calibrate(errors).bands[0][1].low, std::exp(-3), 1e-12);
}

TEST(Bands, NeverNarrowerFartherOut) {
  auto errors = hundred(1, false, 0.4);
  for (const auto& error : hundred(2, false, 0.1)) errors.push_back(error);
  const BandTable table = calibrate(errors);
  EXPECT_EQ(table.bands[0][1].low, table.bands[0][0].low);
  const Band three = band_of(table, 3, false), six = band_of(table, 6, false);
  EXPECT_NEAR(six.low, three.low * three.low, 1e-12);
  EXPECT_NEAR(six.high, three.high * three.high, 1e-12);
  EXPECT_EQ(band_of(table, 0, false).low, table.bands[0][0].low);
}

std::vector<Backtest> published_backtests() {
  std::vector<Backtest> all;
  for (const auto& series : published_series(SCALEMARK_SOURCE_DIR)) {
    for (const Backtest& test : backtest(series.measured)) all.push_back(test);
  }
  return all;
}

// The constants in the program are what the library in the repository gives.
TEST(Bands, ThePublishedOnesAreCalibratedOnThePublishedSeries) {
  std::vector<ForecastError> errors;
  for (const Backtest& test : published_backtests()) errors.push_back(test.model);
  const BandTable found = calibrate(errors);
  for (std::size_t assumed = 0; assumed < 2; ++assumed) {
    for (std::size_t octave = 0; octave < kBandOctaves; ++octave) {
      const Band& built_in = published_bands().bands[assumed][octave];
      EXPECT_NEAR(found.bands[assumed][octave].low, built_in.low, 1e-3) << assumed << ' ' << octave;
      EXPECT_NEAR(found.bands[assumed][octave].high, built_in.high, 1e-3)
          << assumed << ' ' << octave;
    }
  }
}

// docs/PREDICTION.md: the largest count of each series, predicted by the others.
TEST(Published, TheModelBeatsTheLastEfficiencyHolds) {
  std::vector<double> model, naive;
  for (const auto& series : published_series(SCALEMARK_SOURCE_DIR)) {
    const Backtest last = backtest(series.measured).back();
    ASSERT_EQ(last.fitted + 1, series.measured.points.size());
    model.push_back(std::abs(std::exp(-last.model.log_ratio) - 1));
    naive.push_back(std::abs(std::exp(-last.last_efficiency_holds.log_ratio) - 1));
  }
  ASSERT_EQ(model.size(), 263u);
  std::sort(model.begin(), model.end());
  std::sort(naive.begin(), naive.end());
  EXPECT_NEAR(naive[131], 0.029, 0.001);
  EXPECT_LT(model[131], 0.022);
  EXPECT_LT(model[236], 0.13);  // p90; the naive rule: 0.15
  EXPECT_GT(naive[236], 0.15);
}

}  // namespace
}  // namespace scalemark::prediction
