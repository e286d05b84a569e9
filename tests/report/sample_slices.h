// Summaries of points for which a test has no plan.
#pragma once

#include <span>
#include <vector>

#include "report/judge/sweep/summary.h"

namespace scalemark::reporting {

// Slices that the points form: everything equal but the world size. Weak where the batch per rank
// and the accumulation are fixed and at least two world sizes are there; strong, by batch or by
// accumulation, where the global batch is fixed and no weak slice holds the points already.
std::vector<SliceGroups> slices_of(std::span<const PointRecord> points);

// Calls summarise_sweep(); slices that are not given are those of the points, and the largest world
// size was launched.
void summarise(Report& report, SummaryOptions options = {});

}  // namespace scalemark::reporting
