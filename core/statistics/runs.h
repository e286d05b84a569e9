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

// ln of each value; throws bug() for one that is not finite and above 0.
std::vector<double> logarithms(std::span<const double> values);

}  // namespace scalemark::statistics
