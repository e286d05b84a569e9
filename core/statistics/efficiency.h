// Scaling: speed-up and efficiency, where lost efficiency goes, and how long a run must be before
// it pays. Pure; knows no points or reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/summary.h"

namespace scalemark::statistics {

// samples_per_sec of the baseline and of the point, both from one block and one session: what a
// whole block has in common (heat, a neighbour on the machine) cancels.
struct ThroughputPair {
  double baseline = 0;
  double scaled = 0;
};

struct Efficiency {
  std::size_t pairs = 0;
  double speedup = 0;                    // against the baseline's throughput
  double efficiency = 0;                 // never clipped: above 1 is an answer
  std::optional<Interval> speedup_ci95;  // one pair has none
  std::optional<Interval> efficiency_ci95;
};

// ln E = mean_k (ln X_N,k - ln X_M,k - ln (N / M)) +- t(.975, R-1) s_d / sqrt(R). N = `ranks` and
// M = `baseline_ranks` (1, unless one rank could not run). Weak and strong scaling alike: X counts
// samples, and both sides of a pair process them at the batch size that the slice fixes.
// Throws bug() without pairs and for rates or ranks that are not above 0.
// Source: METRICS.md, "Several runs", speed-up and efficiency.
Efficiency paired_efficiency(std::span<const ThroughputPair> pairs, int ranks,
                             int baseline_ranks = 1);

// The step times of one run, in seconds. A rank's own time is what it needs for a step by itself;
// in the rest it waits for bytes or for slower ranks.
struct StepTimes {
  double step_s = 0;                   // T = wall_s / iterations
  double own_mean_s = 0;               // mean over ranks and steps of own: own_s.mean of a report
  double own_max_of_rank_means_s = 0;  // max over ranks of (mean over steps of own)
  // Mean over steps of (max over ranks of own); absent where single steps were not timed.
  std::optional<double> own_mean_of_step_max_s;
  double data_wait_s = 0;  // d: the data wait that counts, mean over ranks and steps
  // Mean over steps of own, rank by rank. Empty: not known, or not the same ranks in every run.
  std::vector<double> own_of_ranks_s;
};

// The difference between a parallel step and its ideal, split into terms that add up exactly, after
// the POP efficiency metrics: in seconds, or in shares of efficiency. Signs are kept: a term below
// 0 is a gain.
struct LossTerms {
  double slower_compute = 0, data_wait = 0, persistent_imbalance = 0;
  // Another rank than the one that is slowest over all runs may be the slowest of a run, which adds
  // this. One run has none, nor have unknown ranks: persistent_imbalance then contains it.
  std::optional<double> run_imbalance;
  std::optional<double> jitter;  // unset: single steps were not timed; communication contains it
  double communication = 0;

  double sum() const {
    return slower_compute + data_wait + persistent_imbalance + run_imbalance.value_or(0) +
           jitter.value_or(0) + communication;
  }
};

struct StepTimesPair {  // both from one block and one session
  StepTimes baseline;
  StepTimes scaled;
};

// Weak: the ideal step is the baseline's own. Strong: the baseline's divided by `ranks_ratio`, N /
// M.
enum class Scaling { kWeak, kStrong };

double ideal_step_s(const StepTimes& baseline, Scaling scaling, double ranks_ratio);

// Terms of one pair, in seconds per step. They add up to T_N - T_ideal. `slowest`: the rank that is
// slowest over all runs (its place in own_of_ranks_s); absent: the run is judged alone.
LossTerms loss_terms(const StepTimesPair& pair, Scaling scaling, double ranks_ratio,
                     std::optional<std::size_t> slowest = {});

// Shares of lost efficiency over R blocks: share_j = mean_k [term_jk / L(T_N,k, T_ideal,k)]
// (1 - E) / (-ln E), L the logarithmic mean, limits taken at equality. They add up to 1 - E, where
// ln E = mean_k ln (T_ideal,k / T_N,k): the efficiency of paired_efficiency(). Where one of the
// scaled runs has no own_mean_of_step_max_s, none is used: jitter is absent from all of them.
// persistent_imbalance is that of the rank with the largest mean over blocks of own - mean own,
// each block by its L; run_imbalance the rest of the largest own of a block. Throws bug() without
// pairs and for step times that are not above 0. Source: METRICS.md, "Where efficiency goes".
LossTerms shares_of_lost_efficiency(std::span<const StepTimesPair> pairs, Scaling scaling,
                                    double ranks_ratio);

// Returns the shares of each block, share_jk; their means over the blocks are the shares above.
std::vector<LossTerms> shares_by_block(std::span<const StepTimesPair> pairs, Scaling scaling,
                                       double ranks_ratio);

// The 95 % intervals of shares, by Student's t over share_jk; each is absent where the share is.
struct LossIntervals {
  Bounds slower_compute, data_wait, persistent_imbalance, run_imbalance, jitter, communication;
};

// Returns nullopt for fewer than two blocks.
std::optional<LossIntervals> loss_intervals(std::span<const LossTerms> by_block);

// (a - b) / (ln a - ln b) for a, b > 0; a where they are equal.
double logarithmic_mean(double a, double b);

// How long must a parallel run be before it beats one rank, start-up included?
struct Startup {
  double setup_s = 0;          // rendezvous, model, data, first step
  double samples_per_sec = 0;  // its rate after that
};

// The first number of parallel steps of `step_s` seconds after which the parallel run has processed
// its samples earlier than the baseline processes as many. 0: it is ahead from the start. Absent:
// it never is, or starts ahead and falls behind (its throughput is not above the baseline's).
std::optional<std::int64_t> break_even_steps(const Startup& baseline, const Startup& parallel,
                                             double step_s);

}  // namespace scalemark::statistics
