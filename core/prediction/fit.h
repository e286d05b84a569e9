// Finds the cost model of a weak scaling series. Knows no reports: step times in, a model out.
// Pure.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/prediction/cost_model.h"

namespace scalemark::prediction {

struct MeasuredPoint {
  int world_size = 1;
  Layout layout;
  double step_s = 0;                // T
  std::optional<double> own_max_s;  // mean over steps of the slowest rank's own time, without waits
};

struct Measured {
  std::vector<MeasuredPoint> points;  // ascending, each world size once
  std::optional<double> payload_bytes, backward_s;
  std::array<KnownLink, kLevels> known_links;
};

// Where a link's numbers come from. kAssumed: the link was neither measured nor given, so it is
// taken to be like the link that was measured.
enum class LinkOrigin { kMeasured, kGiven, kAssumed };

struct Fit {
  CostModel model;
  std::array<LinkOrigin, kLevels> links{LinkOrigin::kAssumed, LinkOrigin::kAssumed};
  // Model over measured step time, minus 1, per point, before the curve is moved to the last point.
  std::vector<double> relative_errors;
  double objective = 0;
};

struct FitOptions {
  // How strongly growth is pulled towards "the last efficiency holds" (every growth term 0, the
  // curve through the last point): squared seconds of growth, relative to the smallest count's
  // step, weigh this many times as much as squared relative errors. On the published series 2 to 10
  // do about equally well in the median; 3 errs least to one side farther out (docs/PREDICTION.md).
  // A thirtieth of it where every point has own_max_s: then the pull only decides what a few counts
  // cannot, alpha or beta. 0: no pull.
  double pull = 3;
  // Which one the measured points are taken to have used; absent: whichever fits better.
  std::optional<Algorithm> algorithm;
};

inline constexpr std::size_t kFewestPoints = 2;

// Least squares on relative errors with no negative unknown: T_1, T_1 s, alpha and beta per link
// level that was used and not given. h is searched in steps of 0.05 where backward is known and the
// links are given; otherwise it cannot be told from beta and stays 0. Throws bug() for fewer than
// kFewestPoints points, points that are not ascending, or a step time that is not positive.
Fit fit(const Measured& measured, const FitOptions& options = {});

}  // namespace scalemark::prediction
