// A prediction for people: the table, how well the model fits, and what it assumes. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/scalemark/predict_series.h"
#include "core/prediction/forecast.h"

namespace scalemark::cli {

struct SeriesPrediction {
  prediction::Fit fit;
  std::vector<prediction::Forecast> forecasts;  // ascending, none of them measured
  std::optional<double> left_out_error;         // leave_largest_out()
  int ranks_per_node = 1;
  bool ranks_per_node_given = false;
};

std::string prediction_text(const WeakSeries& series, const SeriesPrediction& prediction);

}  // namespace scalemark::cli
