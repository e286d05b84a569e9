// What several runs of one point say about its throughput. The unit is the run, never the step:
// intervals within a run miss the truth once runs differ from each other. Knows nothing of points,
// blocks or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

struct RunsEstimate {
  std::size_t runs = 0;
  double value = 0;                  // exp(mean ln X), in the unit of X
  std::optional<Interval> ci95;      // absent for one run
  std::optional<double> cv_between;  // stdev / mean of X over runs (n - 1); absent for one run
  std::optional<double> half_width;  // (high - low) / 2 / value: what --until-ci looks at
};

// `samples_per_sec`: X of each repetition, all > 0, in any order. Throws bug() for an empty series
// and for a value that is not above 0: such a run is no measurement.
// Source: docs/METRICS.md, "Several runs": exp(mean x +- t(.975, R-1) s / sqrt(R)), x = ln X.
RunsEstimate estimate_over_runs(std::span<const double> samples_per_sec);

// The same where runs come from several sessions, of which each shifts all its runs: the unit is
// then the session, x_s the mean of ln X over its runs. From three sessions on exp(mean x_s +-
// t(.975, S-1) s / sqrt(S)); of two no interval: how sessions differ cannot be told from one
// difference. One session: as above. cv_between is that of the runs. Throws as above, and for a
// session without a run.
RunsEstimate estimate_over_sessions(std::span<const std::vector<double>> sessions);
inline constexpr std::size_t kSessionsForInterval = 3;

// An arithmetic mean over runs, and the interval of it that estimate_over_sessions() gives ln X.
struct MeanEstimate {
  double value = 0;
  std::optional<Interval> ci95;
};

// Of values that may have any sign. Throws bug() without a value, and for a session without one.
MeanEstimate mean_over_sessions(std::span<const std::vector<double>> sessions);

// An estimate_over_...() with an interval that is `growth` times as wide in ln X; without a growth
// there is none.
RunsEstimate widened(RunsEstimate estimate, std::optional<double> growth);

// ln of each value; throws bug() for one that is not finite and above 0.
std::vector<double> logarithms(std::span<const double> values);
double geometric_mean(std::span<const double> values);  // likewise

}  // namespace scalemark::statistics
