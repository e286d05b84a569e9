// When has a sweep measured enough? `--until-ci` adds whole blocks until the interval of every
// point is as narrow as asked for. Knows nothing of time budgets or launchers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace scalemark::statistics {

// Fewer repetitions are not even looked at: an interval that happens to be narrow after three would
// stop the sweep, and such sweeps would be wrong more often than 5 %.
inline constexpr std::size_t kRepetitionsBeforeLooking = 10;

// Whether one point's 95 % interval of samples_per_sec is at most `half_width` wide to either side,
// relative to its estimate. Always false for fewer than kRepetitionsBeforeLooking runs.
bool known_well_enough(std::span<const double> samples_per_sec, double half_width);

// After each block: whether every point has reached it. `points[i]`: samples_per_sec of the runs of
// point i that were measured. Points that cannot run (out of memory, skipped) are left out by the
// caller: they would keep the sweep going for ever. True when there is no point.
// Source: docs/METRICS.md, "Stop when sure".
bool all_known_well_enough(std::span<const std::vector<double>> points, double half_width);

}  // namespace scalemark::statistics
