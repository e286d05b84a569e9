// Did the machine become faster or slower while the sweep ran? Points run in random order within
// each block, so that drift does not look like scaling; this says how much of it there was. Knows
// nothing of clocks or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

struct TimedRun {
  std::size_t point = 0;  // runs of the same point share a number
  double at_s = 0;        // when it was measured, on any common clock
  double samples_per_sec = 0;
};

struct Drift {
  double per_sweep = 0;  // relative change of X from the first run to the last: -0.01 is 1 % slower
  Interval ci95{};
  bool finding = false;  // the interval excludes 0 and |per_sweep| exceeds 1 %
};

inline constexpr double kDriftWorthSaying = 0.01;

// Slope of ln X over time, common to all points, each point having a level of its own (point means
// are removed from ln X and from time: least squares with n - points - 1 degrees of freedom).
// Runs of another session belong to points of their own: what differs between sessions is no drift.
// Absent when fewer than 2 degrees of freedom are left or all runs of each point share one time.
// Source: docs/METRICS.md, "Several runs", order.
std::optional<Drift> estimate_drift(std::span<const TimedRun> runs);

}  // namespace scalemark::statistics
