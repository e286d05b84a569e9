// Old reports against new ones, point by point. Reads points, collectives, environment and settings
// of reports; knows no files and prints nothing (text.h does).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/exit_code.h"
#include "core/reporting/record/report.h"
#include "core/statistics/compare.h"

namespace scalemark::reporting {

// Reports of the same thing: one version, one machine. Several files are several sessions.
using ComparedSide = std::vector<NamedReport>;

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
  std::vector<std::size_t> sessions;            // of each side that measured anything
  std::vector<ComparedPoint> points;            // that the first side shares, in its order
  std::vector<std::vector<std::string>> only;   // of each side, groups that are not compared
  std::vector<Difference> differences;          // machine, versions, settings, what points are
  std::vector<std::string> fingerprints;        // how what the machines do by themselves differs
};

struct CompareRule {
  double threshold = statistics::kChangeThatCounts;
  bool same_session = false;  // a person says that all sides were measured in one go
};

// sides[0] is old; at least two sides, each with at least one report. Points and collectives are
// matched by group. The unit is the session (of each file; its value the geometric mean of its
// runs) where any side has several, else the run. Holm's family is every point on every further
// side. A point that only the first side has, or only further ones, is not judged. Throws
// bad_data() when the sides share no point (unless they hold nothing but fingerprints), and for
// `same_session` with a side of several sessions. Source: docs/METRICS.md, "Old against new".
Comparison compare_sides(std::span<const ComparedSide> sides, const CompareRule& rule);

// How many points have that verdict, each counted once for each further side.
std::size_t count_of(const Comparison& comparison, statistics::Change change);

// kFail when anything is slower, else kUnsure when anything is unsure or differs only in this
// session, else kPass.
ExitCode exit_code(const Comparison& comparison);

}  // namespace scalemark::reporting
