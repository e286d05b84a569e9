// Speed-up and efficiency of single points. Intervals over repetitions come with sweeps. Pure.
#pragma once

#include <optional>
#include <span>

#include "core/reporting/record/records.h"

namespace scalemark::reporting {

struct SpeedUp {
  const PointRecord* baseline;
  double speedup;
  double efficiency;  // speedup / world_size; never clipped
  bool strong;        // the same global batch, not the same batch per rank
};

// Against the 1-rank point with the same settings, batch per rank first (weak), then global batch
// (strong). Of several, strategy none and then the later one. Absent without one, and for a point
// that is not ok.
std::optional<SpeedUp> speed_up(const PointRecord& point,
                                std::span<const PointRecord* const> points);

}  // namespace scalemark::reporting
