#include "core/prediction/forecast.h"

#include <algorithm>
#include <cmath>

namespace scalemark::prediction {
namespace {

bool goes_over_an_assumed_link(const Fit& fit, Layout layout) {
  return (layout.nodes > 1 && fit.links[kInterNode] == LinkOrigin::kAssumed) ||
         (layout.ranks_per_node > 1 && fit.links[kIntraNode] == LinkOrigin::kAssumed);
}

double octaves_between(int largest_measured, int world_size) {
  return std::max(0.0, std::log2(static_cast<double>(world_size) / largest_measured));
}

}  // namespace

Forecast forecast(const Fit& fit, int largest_measured, int world_size, Layout layout,
                  const BandTable& bands) {
  const bool assumed = goes_over_an_assumed_link(fit, layout);
  return {.world_size = world_size,
          .layout = layout,
          .step_s = step_s(fit.model, world_size, layout),
          .band = band_of(bands, octaves_between(largest_measured, world_size), assumed),
          .assumed_link = assumed,
          .indicative = world_size > static_cast<double>(kIndicativeBeyond) * largest_measured};
}

std::vector<Backtest> backtest(const Measured& measured, const FitOptions& options) {
  std::vector<Backtest> tests;
  for (std::size_t fitted = kFewestPoints; fitted < measured.points.size(); ++fitted) {
    Measured part = measured;
    part.points.resize(fitted);
    const Fit found = fit(part, options);
    const MeasuredPoint& last = part.points.back();
    for (std::size_t target = fitted; target < measured.points.size(); ++target) {
      const MeasuredPoint& truth = measured.points[target];
      const Forecast made = forecast(found, last.world_size, truth.world_size, truth.layout);
      Backtest test{.fitted = fitted, .predicted = target};
      test.model = {.octaves = octaves_between(last.world_size, truth.world_size),
                    .assumed_link = made.assumed_link,
                    .log_ratio = std::log(made.step_s / truth.step_s)};
      test.last_efficiency_holds = test.model;
      test.last_efficiency_holds.log_ratio = std::log(last.step_s / truth.step_s);
      tests.push_back(test);
    }
  }
  return tests;
}

}  // namespace scalemark::prediction
