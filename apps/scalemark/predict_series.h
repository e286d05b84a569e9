// The weak scaling series of reports, as a prediction wants them, and what is predicted as records.
// Prints nothing. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/statistics/prediction/forecast.h"
#include "report/record/report.h"

namespace scalemark::cli {

// One slice over world sizes: same workload, settings and batch per rank.
struct WeakSeries {
  std::string title;  // "mlp, ddp over gloo, fp32, cpu, batch 64 per rank"
  std::string strategy;
  // Ascending by world size; geometric means over the runs that are not known to be disturbed.
  std::vector<prediction::MeasuredPoint> points;
  // World sizes with too few undisturbed runs (fit_decide()): nothing is concluded from such a
  // series. `disturbed_by` says what disturbed them.
  std::vector<int> unfit;
  std::string disturbed_by;
  std::string repeat;  // the command that measures it again, or the unfit runs; may be empty
};

// Makes the series of points of status ok. A 1-rank point of strategy none is the baseline of every
// series that equals it otherwise; replicas without communication (strategy none on several ranks)
// and data gathered with fewer ranks by accumulation are not weak series and are left out. Series
// are in the order of the points. The reports must have been judged (set_standings()).
std::vector<WeakSeries> weak_series(const std::vector<reporting::Report>& reports);

// Samples/s per rank that efficiency is relative to: that of the smallest world size measured.
double one_rank_of(const WeakSeries& series);

struct SeriesPrediction {
  std::vector<prediction::Forecast> forecasts;
  std::vector<int> measured;  // world sizes that need no prediction
  std::vector<int> too_few;   // world sizes without one: fewer ranks than were measured
  int ranks_per_node = 1;
};

// Each list ascends. So many `ranks_per_node` are assumed of every count, measured ones too;
// absent: as many as the measured points have on a node.
SeriesPrediction predict(WeakSeries& series, std::optional<int> ranks_per_node,
                         const std::set<int>& world_sizes);

// One per forecast, in their order.
std::vector<reporting::Prediction> prediction_records(const WeakSeries& series,
                                                      const SeriesPrediction& made);

// A line with the command that also measures what was predicted, and where to run it. Empty where
// no sweep measured the series.
std::string measuring(const WeakSeries& series, const SeriesPrediction& made);

}  // namespace scalemark::cli
