#include "tests/core/prediction/backtest.h"

#include <algorithm>
#include <cmath>

namespace scalemark::prediction {
namespace {

double last_slope_of(const std::vector<MeasuredPoint>& fitted) {
  const MeasuredPoint &a = fitted[fitted.size() - 2], &b = fitted.back();
  const double doublings = std::log2(static_cast<double>(b.world_size) / a.world_size);
  return std::max(0.0, std::log(b.step_s / a.step_s) / doublings);
}

Backtest one_test(const Measured& part, const Fit& found, const MeasuredPoint& truth) {
  const MeasuredPoint& last = part.points.back();
  const Forecast made = forecast(found, part, truth.world_size, truth.layout);
  return {.fitted = part.points.size(),
          .largest_fitted = last.world_size,
          .reach = reach_of(part, truth.world_size, truth.layout),
          .model = std::log(made.model_step_s / truth.step_s),
          .rule = std::log(made.rule_step_s / truth.step_s),
          .last_efficiency_holds = std::log(last.step_s / truth.step_s),
          .last_slope = last_slope_of(part.points)};
}

}  // namespace

std::vector<Backtest> backtest(const Measured& measured, const FitOptions& options) {
  std::vector<Backtest> tests;
  for (std::size_t fitted = kFewestPoints; fitted < measured.points.size(); ++fitted) {
    Measured part = measured;
    part.points.resize(fitted);
    const Fit found = fit(part, options);
    for (std::size_t target = fitted; target < measured.points.size(); ++target) {
      tests.push_back(one_test(part, found, measured.points[target]));
      tests.back().predicted = target;
    }
  }
  return tests;
}

double log_ratio_with_loss(const Backtest& test, double loss) {
  return test.last_efficiency_holds - test.reach.doublings * std::log1p(-loss);
}

double log_ratio_with_slope(const Backtest& test, double share) {
  return test.last_efficiency_holds + share * test.last_slope * test.reach.doublings;
}

double miss(double log_ratio) { return std::abs(std::exp(-log_ratio) - 1); }

}  // namespace scalemark::prediction
