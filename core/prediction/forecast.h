// Predicts the throughput of more ranks by model and rule, and says which of the two is the
// prediction, how far off such predictions were, and what they rest on. Pure.
#pragma once

#include <optional>
#include <span>

#include "core/prediction/fit.h"
#include "core/prediction/published_tests.h"

namespace scalemark::prediction {

// A prediction beyond this many times the largest measured world size is only indicative.
inline constexpr int kIndicativeBeyond = 4;

struct Forecast {
  int world_size = 1;
  Layout layout;
  double model_step_s = 0, rule_step_s = 0;
  // Below the largest measured count the model, which runs through the counts around it; beyond it
  // what published tests prefer; the rule where there are none.
  Predictor predictor = Predictor::kRule;
  std::optional<PublishedTest> test;  // absent: no published series test it
  bool below_largest = false, assumed_link = false, indicative = false;
};

Forecast forecast(const Fit& fit, const Measured& measured, int world_size, Layout layout,
                  std::span<const PublishedTest> tests = published_tests());

double predicted_step_s(const Forecast& forecast);

Reach reach_of(const Measured& measured, int world_size, Layout layout);

// predicted / measured samples per second of the largest point - 1, when the others predict it.
struct LeftOut {
  double model = 0, rule = 0;
};
// Absent with fewer than 3 points.
std::optional<LeftOut> leave_largest_out(const Measured& measured, const FitOptions& options = {});

}  // namespace scalemark::prediction
