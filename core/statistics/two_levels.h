// Do the runs of a point lie on two levels, such as those of a clock that is lower in some runs? An
// interval over runs assumes one level. Knows nothing of points or reports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

struct Levels {
  std::size_t runs = 0;
  std::size_t slow_runs = 0;  // on the lower level: those below the largest gap between sorted runs
  double gap = 0;             // that gap, in ln
  double slower_by = 0;       // difference of the levels' means of ln X
  double p = 1;               // that runs of one level part so far, by Holm over all series
  bool two = false;           // p is at most 5 %, and the gap above 1 %
};

inline constexpr std::size_t kRunsForLevels = 3;
inline constexpr double kGapThatCounts = 0.01;

// One answer per series, each the rates of one point in one session, in any order; absent for fewer
// than kRunsForLevels runs. Split at the largest gap between sorted ln X, T is the two-sample t of
// the two sides with their common spread (R - 2 degrees of freedom). Whatever split was chosen for
// being the widest, p <= (2^(R - 1) - 1) P(|t| >= T) for normal runs of one level: so many ways are
// there to part R runs. Throws bug() for a rate that is not above 0.
// Source: docs/METRICS.md, "Two levels".
std::vector<std::optional<Levels>> judge_levels(std::span<const std::vector<double>> series);

// The largest share p of runs for which a state of the machine may still be missed by all of `runs`
// runs with the chance that is left: (1 - p)^R = 1 - confidence.
double share_that_may_be_missed(std::size_t runs, double confidence = 0.95);

}  // namespace scalemark::statistics
