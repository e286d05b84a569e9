// A report as a two-rank run would write it, for the tests of this module.
#pragma once

#include <vector>

#include "report/record/report.h"

namespace scalemark::reporting {

// 4 steps on each of `world_size` ranks; every optional field present where `everything`.
std::vector<RankMeasurement> sample_measurements(int world_size, int steps = 4);
PointRecord sample_point(int world_size);

// Condenses the ranks, which still have their series, and assembles them.
PointRecord assemble_point(PointRecord identity, std::vector<RankMeasurement> ranks);

// Removes the fields that are absent where steps ran as a whole (a captured graph).
void drop_phases(PointRecord& point);

Report sample_report(int world_size, bool everything);

}  // namespace scalemark::reporting
