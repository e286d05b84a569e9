// Is one rank slower than the others, by more than ranks usually differ and in every run, or in
// some runs? Judges all points of a sweep together. Knows nothing of hosts or devices.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/words.h"

namespace scalemark::statistics {

enum class RankVerdict {
  kStraggler,      // slower in every run
  kSlower,         // one of two ranks: which of them is normal is unknown
  kIntermittent,   // beyond the limit of a single run in two or more of at least 3 runs
  kSlowerAtTimes,  // the same, of two ranks
  kWithinNoise,
  kTooFewRuns,  // beyond the threshold, but fewer than 3 runs cannot show that it lasts
  kDisturbed    // too few runs are left that nothing disturbed; judge_ranks() cannot know
};
constexpr auto words_of(RankVerdict) {
  return std::to_array<Word<RankVerdict>>({{RankVerdict::kStraggler, "straggler"},
                                           {RankVerdict::kSlower, "slower"},
                                           {RankVerdict::kIntermittent, "straggler_intermittent"},
                                           {RankVerdict::kSlowerAtTimes, "slower at times"},
                                           {RankVerdict::kWithinNoise, "within noise"},
                                           {RankVerdict::kTooFewRuns, "too few runs"},
                                           {RankVerdict::kDisturbed, "disturbed"}});
}

// Whether the rank is slower in every run. Of two ranks this does not say which one is at fault.
constexpr bool is_named(RankVerdict verdict) {
  return verdict == RankVerdict::kStraggler || verdict == RankVerdict::kSlower;
}

struct RankDelay {
  double slower_by = 0;  // D_r, in ln seconds: 0.03 is 3 % above the others' median
  double threshold = 0;  // max(3 %, t(1 - .05/M) s), M: ranks of all points
  // The probability that healthy devices differ so much, by Holm over all ranks of all points.
  double p = 1;
  // The one-sided 95 % bound of slower_by over runs; absent for fewer than 3 runs.
  std::optional<double> lower_bound;
  std::size_t slow_runs = 0;  // runs above max(3 %, t(1 - .05/M) s), s being that of single runs
  RankVerdict verdict = RankVerdict::kWithinNoise;
};

// [k][r] is the mean over steps of ln own_s of rank r in run k; every run has the same ranks.
using RunsOfRanks = std::vector<std::vector<double>>;

// One answer per rank of each point; none for points of one rank or without a run. D_r = mean over
// runs of (own value - median of the other ranks). Named when D_r is at least 3 %, p at most 5 %,
// and the lower bound above 0. s^2 = (2 (0.5 %)^2 + d m^2) / (2 + d) (1 + min(1, pi / 2 / others)),
// m = 1.4826 MAD of the other ranks' means over runs: with its own value in it, a rank would hide
// itself; for single runs the MAD of the others' deviations in all runs. d: the degrees of a MAD of
// so few values (degrees_of_mad()). p is that of Student's t with 2 + d degrees: a normal one takes
// the spread of seven ranks for known, and names healthy ones. With `device_spread`, the standard
// deviation of healthy devices, s is known and p normal: s^2 is what D_r varies by between them,
// the variance of devices times the same factor, plus what the other ranks vary by from run to run
// (by R; for single runs whole), and s at least m and 0.5 %. Throws bug() for runs of different
// numbers of ranks. Source: METRICS.md, "Straggler"; moderated s: Smyth 2004 (acceptance.h).
std::vector<std::vector<RankDelay>> judge_ranks_of_points(std::span<const RunsOfRanks> points,
                                                          double device_spread = 0);

// The same of one point alone.
std::vector<RankDelay> judge_ranks(const RunsOfRanks& mean_ln_own, double device_spread = 0);

inline constexpr std::size_t kRunsForStraggler = 3;

}  // namespace scalemark::statistics
