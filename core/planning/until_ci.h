// --until-ci judges the precision that a sweep has reached: whether it is enough, and how much more
// it takes. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics/variance_split.h"

namespace scalemark::planning {

// How well a point is known, as groups[] and scaling[] of the report say it.
struct PointPrecision {
  int sessions = 1;  // that its runs come from
  statistics::StopQuantity throughput;
  std::vector<statistics::StopQuantity> efficiencies;  // one per slice that compares it
};
using Precisions = std::map<std::string, PointPrecision>;  // by group, of points with a rate

// Whether throughput and every efficiency are known to `half_width`.
bool is_reached(const PointPrecision& point, double half_width);

// The number that is furthest from `half_width` still takes this.
struct Outlook {
  std::string group;
  bool of_efficiency = false;
  std::optional<double> half_width;        // its own, relative; absent: no interval
  std::optional<std::size_t> repetitions;  // about, in all; absent: it cannot be told
  struct Windows {
    double window_s = 0;
    std::size_t repetitions = 0;
  };
  std::optional<Windows> longer;  // that would take less time from the start, by a tenth or more
};

// `block_s`: seconds of a block whose windows are at least so many seconds long; 0: as they are.
// Absent when everything is reached.
std::optional<Outlook> outlook_of(const Precisions& points, double half_width,
                                  const std::function<double(double)>& block_s);

// "the efficiency of mlp-b8-w2-ddp is known to 1.6 %; about 34 repetitions are needed, or windows
// of 8 s and 12".
std::string to_text(const Outlook& outlook);

}  // namespace scalemark::planning
