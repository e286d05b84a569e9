// The rule tried on series that were measured: the smaller counts predict each larger one.
#pragma once

#include <string>
#include <vector>

#include "core/statistics/prediction/forecast.h"

namespace scalemark::prediction {

struct PublishedSeries {
  std::string source;
  std::vector<MeasuredPoint> points;
};

// Series of at least 3 counts in results/published of the source tree at `root`.
std::vector<PublishedSeries> published_series(const std::string& root);

struct Backtest {
  std::size_t fitted = 0;  // number of points that predict
  int largest_fitted = 1;  // world size
  Reach reach;
  // ln(measured / predicted samples per second).
  double rule = 0, last_efficiency_holds = 0;
  // ln efficiency fell by this per doubling between the last two of these points; at least 0.
  double last_slope = 0;
};
std::vector<Backtest> backtest(MeasuredPoints measured);

// ln(measured / interpolated samples per second) of each inner count, by its two neighbours.
std::vector<double> inner_counts(MeasuredPoints measured);

// The rule with another loss per doubling.
double log_ratio_with_loss(const Backtest& test, double loss);
// Efficiency continues to fall with `share` of the last slope.
double log_ratio_with_slope(const Backtest& test, double share);

// |predicted / measured - 1|
double miss(double log_ratio);

}  // namespace scalemark::prediction
