// Old reports against new ones, point by point, as core/reporting/compare judged them. Plain
// records. Source: docs/METRICS.md, "Old against new".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics/compare.h"

namespace scalemark::reporting {

struct SideOfPoint {
  std::optional<double> samples_per_sec;  // exp(mean ln X) over units; absent without one
  std::size_t units = 0;
  std::string trouble;     // "2 oom, 1 disturbed": runs that do not count; may be empty
  bool disturbed = false;  // too few others: nothing can be said
  bool too_brief = false;  // disturbed, as far as is known by windows that were too brief to tell
};

struct PointAgainst {
  SideOfPoint after;
  statistics::PointChange change;
  bool absent = false;  // this side has no run of the point: nothing is judged
  std::string certain;  // of a change: what is certain and what is not; empty otherwise
  std::string reason;   // why nothing is decided, as a clause; empty otherwise
};

struct ComparedPoint {
  std::string group;
  std::string unit;  // "images", of collectives "calls": what X counts
  SideOfPoint before;
  std::vector<PointAgainst> against;  // one for each further side
};

struct Difference {
  std::string what;
  std::vector<std::string> values;  // one for each side, the first included
};

struct Comparison {
  double threshold = 0;
  statistics::ComparedUnit unit = statistics::ComparedUnit::kSession;
  std::vector<std::vector<std::string>> files;  // of each side
  std::vector<std::string> quoting;   // ", quote with care": each side, where it was judged
  std::vector<std::size_t> sessions;  // each side measured in so many
  std::vector<ComparedPoint> points;  // that the first side shares, in its order
  std::vector<std::vector<std::string>> only;  // these of each side are not compared
  std::vector<Difference> differences;         // machine, versions, settings, what points are
  std::vector<std::string> fingerprints;       // how what the machines do by themselves differs
};

// How many points have that verdict, each counted once for each further side.
inline std::size_t count_of(const Comparison& comparison, statistics::Change change) {
  std::size_t count = 0;
  for (const ComparedPoint& point : comparison.points) {
    for (const PointAgainst& against : point.against) {
      count += !against.absent && against.change.change == change;
    }
  }
  return count;
}

}  // namespace scalemark::reporting
