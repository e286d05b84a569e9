// When has a sweep measured enough? `--until-ci` adds whole blocks until every interval is as
// narrow as asked for. And how many it takes, should they go on as they were. Knows nothing of time
// budgets or launchers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

// Fewer repetitions are not even looked at: an interval that happens to be narrow after three would
// stop the sweep, and such sweeps would be wrong more often than 5 %.
inline constexpr std::size_t kRepetitionsBeforeLooking = 10;

// What steps add to the variance of one repetition, and the length of the windows that gave it.
struct WindowNoise {
  double variance = 0, window_s = 0;
};

// A throughput or an efficiency, by what is known of its interval.
struct StopQuantity {
  std::size_t repetitions = 0;
  std::optional<double> half_width;  // of its 95 % interval, relative; absent: it has none
  std::vector<WindowNoise> steps;    // of a pair's both sides
};

// Whether the interval is at most `half_width` wide to either side, relative to its estimate.
// Always false for fewer than kRepetitionsBeforeLooking repetitions, and without an interval.
// Source: docs/METRICS.md, "Stop when sure".
bool known_well_enough(const StopQuantity& quantity, double half_width);

// About how many repetitions in all reach `half_width` (> 0) with windows of at least `window_s`
// (0: as they are): the smallest R from kRepetitionsBeforeLooking on with t(.975, R-1) s / sqrt(R)
// <= asinh(half_width), s^2 from the interval, of which the share of steps falls as windows grow.
// Absent without an interval, and for more than kMostRepetitions.
std::optional<std::size_t> repetitions_needed(const StopQuantity& quantity, double half_width,
                                              double window_s = 0);
inline constexpr std::size_t kMostRepetitions = 1'000'000;

}  // namespace scalemark::statistics
