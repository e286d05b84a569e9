// Latency and bandwidth of links, fitted to the times of collectives. Pure; knows no backend: the
// caller fits the points of each by themselves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/collectives/ring_terms.h"
#include "core/collectives/words.h"
#include "core/statistics/interval.h"

namespace scalemark::collectives {

// One collective of one size on one set of ranks.
struct LinkPoint {
  Collective collective = Collective::kAllReduce;
  Layout layout;                // of its ranks
  std::int64_t bytes = 0;       // as nccl-tests counts them
  std::vector<double> seconds;  // of one call, above 0; one value for each repetition
};

struct FittedNumber {
  double value = 0;
  std::optional<statistics::Interval> ci95;  // over repetitions; from two on
};

struct FittedLink {
  FittedNumber alpha_s;                        // latency of a message
  FittedNumber s_per_byte;                     // both are 0 or more
  std::optional<FittedNumber> bandwidth_GBps;  // 1e-9 / s_per_byte; absent where that is 0
};

struct LinksFit {
  std::array<std::optional<FittedLink>, kLevels> links;  // by Level; absent: not used
  double worst_relative_error = 0;  // of a point's time by the fit against its geometric mean
};

// Least squares on relative errors, no number negative, over ring_terms() (ring_terms.h), to the
// geometric means of each point's repetitions. Intervals: the same fit to each repetition by
// itself, and around the value half of Student's t interval over those; a low end below 0 is 0.
// Barriers have no data and are left out. Absent when the points are fewer than the numbers to be
// found and one more: 3 for one level, 5 for two. Throws bug() for a point without a time, and for
// times that are not above 0.
std::optional<LinksFit> fit_links(std::span<const LinkPoint> points);

}  // namespace scalemark::collectives
