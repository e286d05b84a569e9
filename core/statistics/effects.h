// What does one value of an option give against another? Answered from pairs of runs within blocks.
// Knows nothing of options, sweeps or reports.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/words.h"
#include "core/statistics/change_that_counts.h"
#include "core/statistics/interval.h"

namespace scalemark::statistics {

// kDisturbed: too few runs are left that nothing disturbed; judge_effects() cannot know.
enum class EffectVerdict { kReal, kNone, kUnsure, kDisturbed };
constexpr auto words_of(EffectVerdict) {
  return std::to_array<Word<EffectVerdict>>({{EffectVerdict::kReal, "real"},
                                             {EffectVerdict::kNone, "none"},
                                             {EffectVerdict::kUnsure, "unsure"},
                                             {EffectVerdict::kDisturbed, "disturbed"}});
}

struct Effect {
  std::size_t pairs = 0;
  double ratio = 1;                    // exp(mean of the log ratios)
  std::optional<Interval> ratio_ci95;  // from two pairs; of this comparison alone
  std::optional<double> p_holm;        // from kPairsToJudge, over all comparisons given
  EffectVerdict verdict = EffectVerdict::kUnsure;
};

inline constexpr std::size_t kPairsToJudge = 3;

// `log_ratios[i]`: ln(X / X0) of each block of one comparison, at least one value. Ratio and
// interval: exp(mean +- t(.975, R-1) s / sqrt(R)). Real: significant (two-sided t, Holm over the
// comparisons that have kPairsToJudge pairs, 5 %) and |ratio - 1| >= 2 %; none: the 90 % interval
// lies inside +-2 %; else unsure, and with fewer pairs. Where pairs do not spread, their mean is
// taken as known. One answer per comparison, in order. Throws bug() for one without a pair.
// Source: docs/METRICS.md, "Effects".
std::vector<Effect> judge_effects(std::span<const std::vector<double>> log_ratios);

// Whether the 90 % interval of the mean of these log ratios lies within +-kChangeThatCounts of a
// ratio of 1.
bool surely_alike(std::span<const double> log_ratios);

}  // namespace scalemark::statistics
