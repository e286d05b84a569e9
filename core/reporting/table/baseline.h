// Speed-up and efficiency of single points. Intervals over repetitions come with sweeps. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// A point, and what it computed on where the point itself does not say so: on a CPU the models of
// its hosts' CPUs ("AMD EPYC 9654"), or their names where the report has no model. Empty on a GPU:
// device_name says it.
struct PlacedPoint {
  const PointRecord* point;
  std::string machine;
};
PlacedPoint placed(const Report& report, const PointRecord& point);

struct SpeedUp {
  std::vector<const PointRecord*> baselines;  // equal ones, in the order given; combined
  // Against exp of the mean of their ln samples_per_sec, and by world_size; never clipped. Absent
  // where something disturbed one of the runs.
  std::optional<double> speedup, efficiency;
  Standing standing;
  bool strong;    // the same global batch, not the same batch per rank
  bool unsteady;  // a window that was not steady went in
  // Relative uncertainty of the ratio from the steps within the runs: runs differ by more. Absent
  // where one has no interval, and of a point against itself, which is exact.
  std::optional<double> at_least;
};

// Against the 1-rank points with the same settings on the same kind of machine, batch per rank
// first (weak), then global batch (strong); strategy none first. `point` is one of `points`. Absent
// without a baseline, and for a point that is not ok.
std::optional<SpeedUp> speed_up(const PointRecord& point, std::span<const PlacedPoint> points);

}  // namespace scalemark::reporting
