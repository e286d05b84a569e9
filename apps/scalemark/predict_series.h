// The weak scaling series of reports, as the prediction wants them. Knows records and the cost
// model's input; prints nothing. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/prediction/fit.h"
#include "core/reporting/record/report.h"

namespace scalemark::cli {

struct SeriesRow {
  int world_size = 1, nodes = 1;
  double samples_per_sec = 0;  // geometric mean over repetitions
  int repetitions = 0;
};

// One slice over world sizes: same workload, settings and batch per rank.
struct WeakSeries {
  std::string title;                 // "mlp, ddp, fp32, cpu, batch 64 per rank"
  double samples_per_rank_step = 0;  // batch size x accumulation
  std::vector<SeriesRow> rows;       // ascending
  std::string strategy;
  prediction::Measured measured;  // the same points
};

// From points of status ok. A 1-rank point of strategy none is the baseline of every series that
// equals it otherwise; replicas without communication (strategy none on several ranks) and data
// gathered with fewer ranks by accumulation are not weak series and are left out. In the order of
// the points.
std::vector<WeakSeries> weak_series(const std::vector<reporting::Report>& reports);

}  // namespace scalemark::cli
