// Old against new, point by point: faster, same, slower, or not known well enough to say. Knows
// nothing of reports.
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

// kDiffers: significant and large enough, but what was compared is one session with another.
enum class Change { kFaster, kSame, kSlower, kDiffers, kUnsure, kDisturbed };

constexpr auto words_of(Change) {
  return std::to_array<Word<Change>>({{Change::kFaster, "faster"},
                                      {Change::kSame, "same"},
                                      {Change::kSlower, "slower"},
                                      {Change::kDiffers, "differs"},
                                      {Change::kUnsure, "unsure"},
                                      {Change::kDisturbed, "disturbed"}});
}

// What one value of a side is, and with it what a difference can come from.
enum class ComparedUnit {
  kSession,             // several per side: what differs between sessions is in the spread
  kRunOfOneSession,     // each side is one session: a difference may be the session's
  kRunOfTheSameSession  // both sides were measured in one go
};

// samples_per_sec of one point on either side, one value per unit: of a session the geometric mean
// of its runs.
struct PointSides {
  std::vector<double> before;
  std::vector<double> after;
};

struct PointChange {
  Change change = Change::kUnsure;
  std::optional<double> relative;    // exp(d) - 1; absent where a side has no value
  std::optional<Interval> ci90;      // of `relative`; absent for fewer than 3 units on a side
  std::optional<double> p_adjusted;  // Welch, Holm over all points; absent likewise
  // exp(d_min) - 1, d_min = (t(1 - a / 2m) + t(.95)) SE with a = 5 % and m points tested: the
  // smallest change that would probably have been significant. Absent likewise.
  std::optional<double> smallest_found;
  bool is_significant = false;     // that there is a change, over all points together
  bool exceeds_threshold = false;  // that it is larger than the threshold, likewise
};

inline constexpr std::size_t kUnitsToCompare = 3;
inline constexpr std::size_t kUnitsAdvised = 5;

// d = difference of mean ln X. Slower / faster: significant (Welch, Holm over the points that have
// enough units, 5 %) and |exp(d) - 1| >= `threshold`; with kRunOfOneSession this is kDiffers. Same:
// the 90 % interval of exp(d) - 1 lies inside +-threshold. Unsure: everything else, and fewer than
// 3 units on a side. One answer per point, in order. Source: docs/METRICS.md, "Old against new".
std::vector<PointChange> compare_points(std::span<const PointSides> points, ComparedUnit unit,
                                        double threshold = kChangeThatCounts);

}  // namespace scalemark::statistics
