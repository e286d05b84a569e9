// When has a sweep measured enough, where does the variance come from that is left, and what
// narrows an interval: longer windows, more runs or more sessions? Knows nothing of points, time
// budgets or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/words.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {

struct SplitRun {
  double ln_rate = 0;
  std::optional<StepNoise> steps;  // unset: too few steps to know
};

// The variance of a throughput comes from the steps of a run, from what runs differ by beyond their
// steps, and from what sessions differ by beyond their runs. These are standard deviations of ln X:
// 0.01 is 1 %. A part is never below 0, and its interval begins at 0 where the part cannot be
// distinguished from none.
struct VarianceSplit {
  double between_runs = 0;  // runs of one session differ by this, their steps included
  double steps = 0;         // steps explain this part of it: more of them would lower it
  double beyond_steps = 0;  // the rest of it
  Interval beyond_steps_ci95{};
  std::optional<double> sessions;  // sessions differ by this beyond their runs; absent for one
  std::optional<Interval> sessions_ci95;
};

// `sessions`: the runs of each. beyond_steps^2 = between_runs^2 - steps^2, the squares being means
// over runs; sessions^2 = variance of session means - between_runs^2 x mean(1 / runs of a session).
// Intervals of such differences: variance_difference_ci95(). Absent with fewer than 2 degrees of
// freedom between runs, or when no run knows its steps.
// Source: Kalibera and Jones 2013, "Rigorous benchmarking in reasonable time"; METRICS.md,
// "Where variance comes from".
std::optional<VarianceSplit> split_variance(std::span<const std::vector<SplitRun>> sessions);

// An estimate of a variance from `degrees` degrees of freedom.
struct VarianceEstimate {
  double value = 0, degrees = 0;
};

// 95 % interval of a - b, cut off at 0, for independent estimates of normal data (modified large
// samples: Ting, Burdick, Graybill, Jeyaratnam and Lu 1990). It begins above 0 exactly where the F
// test at 2.5 % finds a > b.
Interval variance_difference_ci95(const VarianceEstimate& a, const VarianceEstimate& b);

// Mean costs of one run: what every run costs, and what grows with its window.
struct RunCost {
  double fixed_s = 0, window_s = 0;
};

enum class ReplicationLevel { kRuns, kWindows, kSessions, kUnsure };
constexpr auto words_of(ReplicationLevel) {
  return std::to_array<Word<ReplicationLevel>>({{ReplicationLevel::kRuns, "more runs"},
                                                {ReplicationLevel::kWindows, "longer windows"},
                                                {ReplicationLevel::kSessions, "more sessions"},
                                                {ReplicationLevel::kUnsure, "unsure"}});
}

struct Advice {
  ReplicationLevel buy = ReplicationLevel::kUnsure;
  double window_growth = 1;  // kWindows: the best window divided by today's, 10 at most
  double saved_share = 0;    // kWindows: the share of the time that it saves for one interval
};

// In a given time the interval is narrowest with windows sqrt(cost of a run / cost of its window x
// steps^2 / beyond_steps^2) times as long (Kalibera and Jones).
//   kSessions  there are two sessions, which have no interval; or sessions are the larger part of
//              what session means vary by
//   kRuns      such windows save less than 10 % of the time even if beyond_steps is at the lower
//              end of its interval
//   kWindows   the window that is best if beyond_steps is at the upper end of its interval saves
//              10 % if beyond_steps is as estimated
//   kUnsure    all else
Advice advise_replication(const VarianceSplit& split, const RunCost& cost,
                          double mean_runs_per_session, std::size_t sessions);

// `--until-ci` adds whole blocks until every interval is as narrow as asked for. With fewer
// repetitions it is not even checked: an interval that happens to be narrow after three would stop
// the sweep, and such sweeps would be wrong more often than 5 %.
inline constexpr std::size_t kRepetitionsBeforeLooking = 10;

// Steps add `variance` to that of one repetition with windows of `window_s`.
struct WindowNoise {
  double variance = 0, window_s = 0;
};

// A throughput or an efficiency, by what is known of its interval.
struct StopQuantity {
  std::size_t repetitions = 0;
  std::optional<double> half_width;  // half of its 95 % interval, relative; unset: it has none
  std::vector<WindowNoise> steps;    // one; two for an efficiency, whose pairs have two sides
};

// Whether the interval is at most `half_width` wide to either side, relative to its estimate.
// Always false for fewer than kRepetitionsBeforeLooking repetitions, and without an interval.
// Source: METRICS.md, "Stop when sure".
bool known_well_enough(const StopQuantity& quantity, double half_width);

// About how many repetitions in all reach `half_width` (> 0) with windows of at least `window_s`
// (0: as they are): the smallest R from kRepetitionsBeforeLooking on with t(.975, R-1) s / sqrt(R)
// <= asinh(half_width), s^2 from the interval, of which the share of steps falls as windows grow.
// Returns nullopt without an interval, and for more than kMostRepetitions.
std::optional<std::size_t> repetitions_needed(const StopQuantity& quantity, double half_width,
                                              double window_s = 0);
inline constexpr std::size_t kMostRepetitions = 1'000'000;

}  // namespace scalemark::statistics
