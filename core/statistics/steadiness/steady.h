// Was a measured window steady, or was the machine still warming up or slowing down? Knows nothing
// of clocks or ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/statistics/steadiness/decay_fit.h"

namespace scalemark::statistics {

inline constexpr double kSureOfUnsteady = 0.992;  // of five decays that resemble each other
inline constexpr double kSureOfSteady = 0.965;    // of the bound that says "true"
inline constexpr double kBiasAllowed = 0.005;     // of a steady window
inline constexpr std::size_t kStepsForUnsteady = 200;
// Longer series are averaged over equally many neighbours first: no decay here is shorter than 200
// points then.
inline constexpr std::size_t kMostPoints = 4096;

struct SteadyCheck {
  std::optional<bool> steady;  // absent: unknown
  std::string reason;          // one clause for people
  // Where the mean is at most this far from a steady level, relative: by a decay no longer than the
  // window. Absent for fewer than kFewestPoints steps.
  std::optional<double> bias_bound;
  std::optional<OfDecays> biases;           // by kDecayLengths; for pooled_steady()
  std::optional<std::int64_t> change_step;  // the first step of a new level, where one was found
};

// `step_s`: one value per step, in order, each above 0. Steps are clipped (clipping.h), decays are
// fitted (decay_fit.h), and a change of level is looked for (change_point.h).
//   false    a decay has |t| > t(.992, 8) and |bias| > 0.25 %; or the level changes. Only from 200
//            steps and 32 independent values on: on fewer, outliers and correlation pass for trends
//   true     otherwise, and max over decays of |bias| + t(.965, 8) error <= 0.5 %: a bias that
//            counts would have been seen
//   unknown  all else
// Source: docs/METRICS.md, "Steady?".
SteadyCheck check_steady(std::span<const double> step_s);

// The same with decay_basis(points_of(step_s.size())), which many windows of one length can share.
SteadyCheck check_steady(std::span<const double> step_s, const DecayBasis& basis);

std::size_t points_of(std::size_t steps);

// Clipped, and averaged to points_of() values: a short rest is left out.
std::vector<double> points_to_fit(std::span<const double> step_s);

}  // namespace scalemark::statistics
