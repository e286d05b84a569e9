#include "core/prediction/forecast.h"

#include <algorithm>
#include <cmath>

#include "core/prediction/doubling_rule.h"

namespace scalemark::prediction {
namespace {

bool goes_over_an_assumed_link(const Fit& fit, Layout layout) {
  return (layout.nodes > 1 && fit.links[kInterNode] == LinkOrigin::kAssumed) ||
         (layout.ranks_per_node > 1 && fit.links[kIntraNode] == LinkOrigin::kAssumed);
}

Predictor predictor_of(const Forecast& made) {
  if (made.below_largest) return Predictor::kModel;
  return made.test ? better_predictor(*made.test) : Predictor::kRule;
}

}  // namespace

Reach reach_of(const Measured& measured, int world_size, Layout layout) {
  bool within_a_node = false, between_nodes = false;
  for (const MeasuredPoint& point : measured.points) {
    within_a_node |= point.layout.ranks_per_node > 1;
    between_nodes |= point.layout.nodes > 1;
  }
  const int largest = measured.points.back().world_size;
  return {.new_link_level =
              (layout.nodes > 1 && !between_nodes) || (layout.ranks_per_node > 1 && !within_a_node),
          .doublings = std::log2(static_cast<double>(world_size) / largest),
          .world_size = world_size};
}

Forecast forecast(const Fit& fit, const Measured& measured, int world_size, Layout layout,
                  std::span<const PublishedTest> tests) {
  const MeasuredPoint& last = measured.points.back();
  Forecast made{
      .world_size = world_size,
      .layout = layout,
      .model_step_s = step_s(fit.model, world_size, layout),
      .rule_step_s = rule_step_s(last.step_s, last.world_size, world_size),
      .below_largest =
          world_size<last.world_size, .assumed_link = goes_over_an_assumed_link(fit, layout),
                     .indicative = world_size> static_cast<double>(kIndicativeBeyond) *
          last.world_size};
  const PublishedTest* test = test_of(tests, reach_of(measured, world_size, layout));
  if (test) made.test = *test;
  made.predictor = predictor_of(made);
  return made;
}

double predicted_step_s(const Forecast& forecast) {
  return forecast.predictor == Predictor::kModel ? forecast.model_step_s : forecast.rule_step_s;
}

std::optional<LeftOut> leave_largest_out(const Measured& measured, const FitOptions& options) {
  if (measured.points.size() < kFewestPoints + 1) return std::nullopt;
  Measured others = measured;
  others.points.pop_back();
  const MeasuredPoint& left_out = measured.points.back();
  const Forecast made =
      forecast(fit(others, options), others, left_out.world_size, left_out.layout);
  return LeftOut{.model = left_out.step_s / made.model_step_s - 1,
                 .rule = left_out.step_s / made.rule_step_s - 1};
}

}  // namespace scalemark::prediction
