// By how much one condition differs from another, and whether that counts: old against new, two
// values of an option, blocks with and without. Knows nothing of options, sweeps or reports.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/words.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {

// A change of a rate counts from 2 % on, for effects as for old against new: ratios up to 0.98 and
// from 1.02 on.
inline constexpr double kChangeThatCounts = 0.02;

// Whether |exp(log_ratio) - 1| >= threshold.
inline bool change_counts(double log_ratio, double threshold = kChangeThatCounts) {
  return std::abs(std::expm1(log_ratio)) >= threshold;
}

// Whether no change in `log_ratios` counts: both ends lie within +-threshold of a ratio of 1.
inline bool none_counts(const Interval& log_ratios, double threshold = kChangeThatCounts) {
  return -threshold < std::expm1(log_ratios.low) && std::expm1(log_ratios.high) < threshold;
}

// Whether each change in `log_ratios` exceeds the threshold, on the same side.
inline bool all_exceed(const Interval& log_ratios, double threshold = kChangeThatCounts) {
  return std::expm1(log_ratios.low) > threshold || std::expm1(log_ratios.high) < -threshold;
}

// Old against new, point by point. kDiffers: significant and large enough, but what was compared is
// one session with another.
enum class Change { kFaster, kSame, kSlower, kDiffers, kUnsure, kDisturbed };

constexpr auto words_of(Change) {
  return std::to_array<Word<Change>>({{Change::kFaster, "faster"},
                                      {Change::kSame, "same"},
                                      {Change::kSlower, "slower"},
                                      {Change::kDiffers, "differs"},
                                      {Change::kUnsure, "unsure"},
                                      {Change::kDisturbed, "disturbed"}});
}

// A single value of a side stands for one of these, which limits what a difference can come from.
enum class ComparedUnit {
  kSession,             // several per side: what differs between sessions is in the spread
  kRunOfOneSession,     // each side is one session: a difference may be the session's
  kRunOfTheSameSession  // both sides were measured in one go
};

// samples_per_sec of one point on either side, one value per unit. The value of a session is the
// geometric mean of its runs.
struct PointSides {
  std::vector<double> before;
  std::vector<double> after;
};

struct PointChange {
  Change change = Change::kUnsure;
  std::optional<double> relative;    // exp(d) - 1; absent where a side has no value
  std::optional<Interval> ci90;      // around `relative`; absent for fewer than 3 units on a side
  std::optional<double> p_adjusted;  // Welch's p, by Holm over all points; absent likewise
  // exp(d_min) - 1, d_min = (t(1 - a / 2m) + t(.95)) SE with a = 5 % and m points tested: the
  // smallest change that would probably have been significant. Absent likewise.
  std::optional<double> smallest_found;
  bool is_significant = false;     // there is a change, tested over all points together
  bool exceeds_threshold = false;  // it is larger than the threshold, tested likewise
};

inline constexpr std::size_t kUnitsToCompare = 3;
inline constexpr std::size_t kUnitsAdvised = 5;

// d = difference of mean ln X. Slower / faster: significant (Welch, Holm over the points that have
// enough units, 5 %) and |exp(d) - 1| >= `threshold`; with kRunOfOneSession this is kDiffers. Same:
// the 90 % interval of exp(d) - 1 lies inside +-threshold. Unsure: everything else, and fewer than
// 3 units on a side. One answer per point, in order. Source: METRICS.md, "Old against new".
std::vector<PointChange> compare_points(std::span<const PointSides> points, ComparedUnit unit,
                                        double threshold = kChangeThatCounts);

// Does one value of an option give more than another? Pairs of runs within blocks answer it.
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
  std::optional<Interval> ratio_ci95;  // one pair has none; not adjusted over all comparisons
  // Adjusted over all comparisons; absent for fewer than kPairsToJudge pairs.
  std::optional<double> p_holm;
  EffectVerdict verdict = EffectVerdict::kUnsure;
};

inline constexpr std::size_t kPairsToJudge = 3;

// `log_ratios[i]`: ln(X / X0) of each block of one comparison, at least one value. Ratio and
// interval: exp(mean +- t(.975, R-1) s / sqrt(R)). Real: significant (two-sided t, Holm over the
// comparisons that have kPairsToJudge pairs, 5 %) and |ratio - 1| >= 2 %; none: the 90 % interval
// lies inside +-2 %; else unsure, and with fewer pairs. Where pairs do not spread, their mean is
// taken as known. One answer per comparison, in order. Throws bug() for one without a pair.
// Source: METRICS.md, "Effects".
std::vector<Effect> judge_effects(std::span<const std::vector<double>> log_ratios);

// Whether the 90 % interval of the mean of these log ratios lies within +-kChangeThatCounts of a
// ratio of 1.
bool surely_alike(std::span<const double> log_ratios);

// A condition changes a measured value: blocks in the order with, without, without, with show by
// how much. In each such quadruple a linear drift cancels, and what quadruples differ by is the
// uncertainty. These are the means of a quadruple's two blocks with the condition, and of the two
// without.
struct AbbaQuadruple {
  double with = 0, without = 0;
};

struct AbbaEstimate {
  double value = 0;
  std::optional<Interval> ci95;  // Student's t over the quadruples; absent for one
};

// `blocks`: one value per block, in the order in which they were measured. Throws bug() unless they
// are one or more whole quadruples.
std::vector<AbbaQuadruple> abba_quadruples(std::span<const double> blocks);

// with - without, in the unit of the blocks: the mean over the quadruples.
AbbaEstimate abba_difference(std::span<const AbbaQuadruple> quadruples);

// without / with: exp of the mean logarithm over the quadruples. Throws bug() for a mean that is
// not above 0.
AbbaEstimate abba_ratio(std::span<const AbbaQuadruple> quadruples);

}  // namespace scalemark::statistics
