// Predicts the throughput of more ranks from a fit, with its uncertainty, and tests the method on
// points that were measured. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/prediction/bands.h"
#include "core/prediction/fit.h"

namespace scalemark::prediction {

// A prediction beyond this many times the largest measured world size is only indicative.
inline constexpr int kIndicativeBeyond = 4;

struct Forecast {
  int world_size = 1;
  Layout layout;
  double step_s = 0;
  Band band;  // factors on samples per second
  bool assumed_link = false, indicative = false;
};

Forecast forecast(const Fit& fit, int largest_measured, int world_size, Layout layout,
                  const BandTable& bands = published_bands());

// The method tried on a series: the smaller counts (at least 2) predict each larger one.
struct Backtest {
  std::size_t fitted = 0, predicted = 0;  // number of points fitted; index of the one predicted
  ForecastError model, last_efficiency_holds;
};
std::vector<Backtest> backtest(const Measured& measured, const FitOptions& options = {});

}  // namespace scalemark::prediction
