// Are the windows of a point steady, by all of its runs together? What a warm-up leaves is in each
// run alike, and noise is not. Knows nothing of clocks or ranks.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/statistics/steadiness/decay_fit.h"

namespace scalemark::statistics {

inline constexpr std::size_t kRunsToPool = 3;

// What one run's window showed: SteadyCheck.
struct WindowVerdict {
  std::optional<bool> steady;
  std::optional<double> bias_bound;
  std::optional<OfDecays> biases;
};

struct PooledCheck {
  std::optional<bool> steady;
  std::string reason;
  std::optional<double> bias_bound;
};

// From kRunsToPool runs with biases on, Student's t over runs of each decay's bias: that needs no
// assumption on how steps are correlated.
//   false    a decay has |t| > t(.99, R - 1) and |mean bias| > 0.25 %; or
//            more than half of the runs are false by themselves
//   true     otherwise, at most one run is false by itself, and max over decays of |mean bias| +
//            t(.965, R - 1) s / sqrt(R) <= 0.5 %
//   unknown  all else
// Of fewer runs: what they say if all say the same, else unknown; the bound is their largest.
// Source: docs/METRICS.md, "Steady?".
PooledCheck pooled_steady(std::span<const WindowVerdict> runs);

}  // namespace scalemark::statistics
