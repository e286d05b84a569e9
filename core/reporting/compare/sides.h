// One side of a comparison: the rates of its points, and of its collectives in calls, by session,
// and as units to compare. Private to this folder.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// A file is never part of another file's session.
using SessionKey = std::pair<std::size_t, int>;  // file, session within it

// One group on one side: rates by session, and the other runs counted by what went wrong.
struct Measured {
  std::string unit;  // "images", "calls": what rates count
  std::map<SessionKey, std::vector<double>> rates;
  std::map<SessionKey, std::vector<double>> fit_rates;  // of runs that nothing disturbed
  std::size_t brief = 0;   // runs that were too brief to tell whether something disturbed them
  bool disturbed = false;  // too few are fit: rates are of all
  std::map<std::string, std::size_t> trouble;
};

struct Side {
  std::vector<std::string> order;  // groups as they first appear
  std::map<std::string, Measured> groups;
};

Side read_side(const ComparedSide& reports);

// nullptr: the side has no run of that group.
const Measured* find(const Side& side, const std::string& group);

std::size_t count_sessions(const Side& side);  // that measured anything

// A value for each run, or for each session the geometric mean of its runs. Empty for nullptr.
std::vector<double> units_of(const Measured* measured, statistics::ComparedUnit unit);

SideOfPoint side_of_point(const Measured* measured, const std::vector<double>& units);

}  // namespace scalemark::reporting
