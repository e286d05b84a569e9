// Was a measured window steady, by itself and by all runs of its point, and has a warm-up come to
// its end? Knows nothing of clocks or ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/statistics/steadiness/decay_fit.h"

namespace scalemark::statistics {

// Confidence levels: that one of five decays, which resemble each other, is there; and that the
// bias of a window which is called steady lies below its bound.
inline constexpr double kSureOfUnsteady = 0.992, kSureOfSteady = 0.965;
inline constexpr double kBiasAllowed = 0.005;  // a steady window has at most so much
inline constexpr std::size_t kStepsForUnsteady = 200;
// Longer series are averaged over equally many neighbours first: no decay here is shorter than 200
// points then.
inline constexpr std::size_t kMostPoints = 4096;

struct SteadyCheck {
  std::optional<bool> steady;  // unset: unknown
  std::string reason;          // one clause for people
  // How far the mean may at most be from a steady level, relative, by a decay no longer than the
  // window. Absent for fewer than kFewestPoints steps.
  std::optional<double> bias_bound;
  std::optional<OfDecays> biases;           // by kDecayLengths; for pooled_steady()
  std::optional<std::int64_t> change_step;  // the first step of a new level, where one was found
};

// `step_s`: one value per step, in order, each above 0. Steps are clipped (clipped()), decays are
// fitted (decay_fit.h), and a change of level is looked for (change_point.h).
//   false    a decay has |t| > t(.992, 8) and |bias| > 0.25 %; or the level changes. Only from 200
//            steps and 32 independent values on: on fewer, outliers and correlation pass for trends
//   true     otherwise, and max over decays of |bias| + t(.965, 8) error <= 0.5 %: a bias that
//            counts would have been seen
//   unknown  all else
// Source: METRICS.md, "Steady?".
SteadyCheck check_steady(std::span<const double> step_s);

// The same with decay_basis(points_of(step_s.size())), which many windows of one length can share.
SteadyCheck check_steady(std::span<const double> step_s, const DecayBasis& basis);

std::size_t points_of(std::size_t steps);

// Returns the step times clipped and averaged to points_of() values; a short rest is left out.
std::vector<double> points_to_fit(std::span<const double> step_s);

// With fewer runs the windows of a point are not judged together. What a warm-up leaves is in each
// run alike, and noise is not.
inline constexpr std::size_t kRunsToPool = 3;

// One run's window showed this; SteadyCheck explains it.
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
// Fewer runs give what they say if all say the same, else unknown; the bound is their largest.
// Source: METRICS.md, "Steady?".
PooledCheck pooled_steady(std::span<const WindowVerdict> runs);

// Has a warm-up come to its end, by the times of its steps so far?
//
// `step_s`: one value per step, or per group of equally many, in order, each above 0. The later
// half of them is judged, at least the last 20: the first steps load libraries and choose
// algorithms, which no decay describes. False while a decay there has |t| > t(.992, 8) and what is
// left of it at the end, h e^(-1 / L), exceeds 0.25 % of the level; also where steps become longer,
// as of a chip that grows hot. True for fewer than 20.
bool has_settled(std::span<const double> step_s);

}  // namespace scalemark::statistics
