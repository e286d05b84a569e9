// Several runs together: the throughput of a point with its interval, how much the machine drifted
// while they ran, and whether runs that follow each other resemble each other. Knows nothing of
// blocks, clocks or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::statistics {

// The throughput of one point by several runs. The unit is the run, never the step: intervals
// within a run miss the truth once runs differ from each other.
struct RunsEstimate {
  std::size_t runs = 0;
  double value = 0;                  // exp(mean ln X), in the unit of X
  std::optional<Interval> ci95;      // one run has none
  std::optional<double> cv_between;  // stdev / mean of X over runs (n - 1); absent for one run
  std::optional<double> half_width;  // (high - low) / 2 / value: --until-ci compares it
};

// `samples_per_sec`: X of each repetition, all > 0, in any order. Throws bug() for an empty series
// and for a value that is not above 0: such a run is no measurement.
// Source: METRICS.md, "Several runs": exp(mean x +- t(.975, R-1) s / sqrt(R)), x = ln X.
RunsEstimate estimate_over_runs(std::span<const double> samples_per_sec);

// The same where runs come from several sessions, of which each shifts all its runs: the unit is
// then the session, x_s the mean of ln X over its runs. From three sessions on exp(mean x_s +-
// t(.975, S-1) s / sqrt(S)); two have no interval, since one difference does not show how sessions
// differ. One session: as above. cv_between is that of the runs. Throws as above, and for a session
// without a run.
RunsEstimate estimate_over_sessions(std::span<const std::vector<double>> sessions);
inline constexpr std::size_t kSessionsForInterval = 3;

// An arithmetic mean over runs, and the interval of it that estimate_over_sessions() gives ln X.
struct MeanEstimate {
  double value = 0;
  std::optional<Interval> ci95;
};

// The values may have any sign. Throws bug() without a value, and for a session without one.
MeanEstimate mean_over_sessions(std::span<const std::vector<double>> sessions);

// Returns `estimate` with an interval that is `growth` times as wide in ln X, or without an
// interval where `growth` is absent.
RunsEstimate widened(RunsEstimate estimate, std::optional<double> growth);

// ln of each value; throws bug() for one that is not finite and above 0.
std::vector<double> logarithms(std::span<const double> values);
double geometric_mean(std::span<const double> values);  // throws likewise

struct TimedRun {
  std::size_t point = 0;  // runs of the same point share a number
  double at_s = 0;        // when it was measured, on any common clock
  double samples_per_sec = 0;
};

// Did the machine become faster or slower while the sweep ran? Points run in random order within
// each block, so that drift does not look like scaling; this says how much of it there was.
struct Drift {
  double per_sweep = 0;  // relative change of X from the first run to the last: -0.01 is 1 % slower
  Interval ci95{};
  bool finding = false;  // the interval excludes 0 and |per_sweep| exceeds 1 %
};

inline constexpr double kDriftWorthSaying = 0.01;

// Slope of ln X over time, common to all points, each point having a level of its own (point means
// are removed from ln X and from time: least squares with n - points - 1 degrees of freedom).
// Runs of another session belong to points of their own: what differs between sessions is no drift.
// Returns nullopt when fewer than 2 degrees of freedom are left or all runs of each point share one
// time.
// Source: METRICS.md, "Several runs", order.
std::optional<Drift> estimate_drift(std::span<const TimedRun> runs);

// Do runs that follow each other resemble each other more than others? Then they are no independent
// draws: intervals over them are too narrow, and a drift may be chance.
struct RunCorrelation {
  double lag1 = 0;           // between neighbouring runs, less what the fit itself causes
  bool significant = false;  // one-sided, 5 %
};

// The correlation is that of the residuals of ln X in time order, once each point's mean and the
// common slope over time are removed (estimate_drift(): a drift is no correlation). Among
// independent runs the residuals e = M x of that fit have E[sum e_i e_i+1 / sum e_i^2] = sum
// M_i,i+1 / (n - points - 1) exactly, which is taken off, and a standard deviation of about 1 /
// sqrt(n), or less where n is small. Absent where estimate_drift() is.
std::optional<RunCorrelation> correlation_of_runs(std::span<const TimedRun> runs);

// By how much the half-width of a point's interval grows when runs at distance d in the order of
// all runs are correlated by lag1^d: its mean varies by V = sum lag1^|i_k - i_l| / R times as much
// as that of independent runs (n_eff = R / V), and s^2 is (R - V) / (R - 1) of the true one in the
// mean. `places` of the R runs, from 2 on. Absent when the runs hold no more than one independent
// value.
std::optional<double> interval_growth(std::span<const double> places, double lag1);

}  // namespace scalemark::statistics
