// Speed-up and scaling efficiency, paired within blocks: what a whole block has in common (heat, a
// neighbour on the machine) cancels. Knows nothing of points or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/statistics/interval.h"

namespace scalemark::statistics {

// samples_per_sec of the baseline and of the point, both from one block and one session.
struct ThroughputPair {
  double baseline = 0;
  double scaled = 0;
};

struct Efficiency {
  std::size_t pairs = 0;
  double speedup = 0;                    // against the baseline's throughput
  double efficiency = 0;                 // never clipped: above 1 is an answer
  std::optional<Interval> speedup_ci95;  // absent for one pair
  std::optional<Interval> efficiency_ci95;
};

// ln E = mean_k (ln X_N,k - ln X_M,k - ln (N / M)) +- t(.975, R-1) s_d / sqrt(R). N = `ranks` and
// M = `baseline_ranks` (1, unless one rank could not run). Weak and strong scaling alike: X counts
// samples, and both sides of a pair process them at the batch size that the slice fixes.
// Throws bug() without pairs and for rates or ranks that are not above 0.
// Source: docs/METRICS.md, "Several runs", speed-up and efficiency.
Efficiency paired_efficiency(std::span<const ThroughputPair> pairs, int ranks,
                             int baseline_ranks = 1);

}  // namespace scalemark::statistics
