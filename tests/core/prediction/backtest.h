// Predictions tried on series that were measured: the smaller counts predict each larger one.
#pragma once

#include <vector>

#include "core/prediction/forecast.h"

namespace scalemark::prediction {

struct Backtest {
  std::size_t fitted = 0, predicted = 0;  // number of points fitted; index of the one predicted
  int largest_fitted = 1;                 // world size
  Reach reach;
  // ln(measured / predicted samples per second).
  double model = 0, rule = 0, last_efficiency_holds = 0;
  // By which ln efficiency fell per doubling between the last two counts fitted, at least 0.
  double last_slope = 0;
};
std::vector<Backtest> backtest(const Measured& measured, const FitOptions& options = {});

// The rule with another loss per doubling.
double log_ratio_with_loss(const Backtest& test, double loss);
// Efficiency goes on falling with `share` of the last slope.
double log_ratio_with_slope(const Backtest& test, double share);

// |predicted / measured - 1|
double miss(double log_ratio);

}  // namespace scalemark::prediction
