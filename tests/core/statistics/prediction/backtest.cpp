#include "tests/core/statistics/prediction/backtest.h"

#include <algorithm>
#include <cmath>

#include "claims/rows/names.h"
#include "claims/rows/row.h"

namespace scalemark::prediction {
namespace {

double per_rank(const MeasuredPoint& point) { return point.samples_per_sec / point.world_size; }

double last_slope_of(MeasuredPoints fitted) {
  const MeasuredPoint &a = fitted[fitted.size() - 2], &b = fitted.back();
  const double doublings = std::log2(static_cast<double>(b.world_size) / a.world_size);
  return std::max(0.0, std::log(per_rank(a) / per_rank(b)) / doublings);
}

double log_ratio(const MeasuredPoint& truth, MeasuredPoints measured) {
  const auto made = forecast(measured, truth.world_size, truth.nodes);
  return std::log(truth.samples_per_sec / made->samples_per_sec);
}

}  // namespace

std::vector<PublishedSeries> published_series(const std::string& root) {
  std::vector<PublishedSeries> all;
  const auto rows = published::read_library(root + "/results/published");
  for (const published::Series& series : published::scaling_series(rows, kFewestPoints + 1)) {
    PublishedSeries made{.source = series.repo, .points = {}};
    for (const published::SeriesPoint& point : series.points) {
      made.points.push_back(
          {static_cast<int>(point.gpus), static_cast<int>(point.nodes), point.throughput});
    }
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<Backtest> backtest(MeasuredPoints measured) {
  std::vector<Backtest> tests;
  for (std::size_t fitted = kFewestPoints; fitted < measured.size(); ++fitted) {
    const MeasuredPoints part = measured.first(fitted);
    for (const MeasuredPoint& truth : measured.subspan(fitted)) {
      tests.push_back({.fitted = fitted,
                       .largest_fitted = part.back().world_size,
                       .reach = reach_of(part, truth.world_size, truth.nodes),
                       .rule = log_ratio(truth, part),
                       .last_efficiency_holds = std::log(per_rank(truth) / per_rank(part.back())),
                       .last_slope = last_slope_of(part)});
    }
  }
  return tests;
}

std::vector<double> inner_counts(MeasuredPoints measured) {
  std::vector<double> ratios;
  for (std::size_t i = 1; i + 1 < measured.size(); ++i) {
    const MeasuredPoint neighbours[] = {measured[i - 1], measured[i + 1]};
    ratios.push_back(log_ratio(measured[i], neighbours));
  }
  return ratios;
}

double log_ratio_with_loss(const Backtest& test, double loss) {
  return test.last_efficiency_holds - test.reach.doublings * std::log1p(-loss);
}

double log_ratio_with_slope(const Backtest& test, double share) {
  return test.last_efficiency_holds + share * test.last_slope * test.reach.doublings;
}

double miss(double log_ratio) { return std::abs(std::exp(-log_ratio) - 1); }

}  // namespace scalemark::prediction
