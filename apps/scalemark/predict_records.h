// A prediction as the records of a report. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/scalemark/predict_series.h"
#include "core/prediction/forecast.h"
#include "core/reporting/record/sweep_records.h"

namespace scalemark::cli {

struct SeriesPrediction {
  prediction::Fit fit;
  std::vector<prediction::Forecast> forecasts;  // ascending, none of them measured
  std::optional<prediction::LeftOut> left_out;
  int ranks_per_node = 1;
  bool ranks_per_node_given = false;
};

// Samples/s per rank that efficiency is relative to: that of the smallest world size measured.
double one_rank_of(const WeakSeries& series);

// One per forecast, in their order.
std::vector<reporting::Prediction> prediction_records(const WeakSeries& series,
                                                      const SeriesPrediction& made);

}  // namespace scalemark::cli
