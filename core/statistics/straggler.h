// Is one rank slower than the others, by more than ranks usually differ and in every run? Knows
// nothing of hosts or devices.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

enum class StragglerVerdict {
  kNormal,
  kTooFewRuns,  // beyond the threshold, but fewer than 3 runs cannot show that it lasts
  kSlower,      // of two ranks: which of them is normal is unknown
  kAtFault,
};

struct RankDelay {
  double slower_by = 0;               // D_r, in ln seconds: 0.03 is 3 % above the others' median
  double threshold = 0;               // max(3 %, z(1 - .05/N) s)
  std::optional<double> lower_bound;  // one-sided 95 %, over runs; absent for fewer than 3 runs
  StragglerVerdict verdict = StragglerVerdict::kNormal;
};

// `mean_ln_own[k][r]`: mean over steps of ln own_s of rank r in run k; every run has the same
// ranks. D_r = mean over runs of (own value - median of the other ranks), s = max(1.4826 MAD, 0.5
// %) with the MAD of the other ranks' means over runs: with its own value in it, a rank would hide
// itself (of two ranks, neither could ever be named). One answer per rank; nothing for one rank.
// Throws bug() for runs of different numbers of ranks. Source: docs/METRICS.md, "Straggler".
std::vector<RankDelay> judge_ranks(std::span<const std::vector<double>> mean_ln_own);

inline constexpr std::size_t kRunsForStraggler = 3;

}  // namespace scalemark::statistics
