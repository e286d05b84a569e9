// The parts of compare_sides(). Private to this folder.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/reporting/compare/compare.h"
#include "core/reporting/record/runs.h"

namespace scalemark::reporting {

// A file is never part of another file's session.
using SessionKey = std::pair<std::size_t, int>;  // file, session within it

// One group on one side: rates by session, and the other runs counted by what went wrong.
struct Measured {
  std::string unit;  // "images", "calls": what rates count
  std::map<SessionKey, std::vector<double>> rates;
  std::map<SessionKey, std::vector<double>> fit_rates;  // nothing disturbed these runs
  Basis basis;                                          // the runs with a rate
  std::ptrdiff_t withheld = 0;  // runs whose clocks disagree: their rates are none
  bool disturbed = false;       // too few are fit: rates are of all
  std::map<std::string, std::size_t> trouble;
};

// One side: the rates of its points, and of its collectives in calls.
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

// Machine, versions, settings, and the facts of points of the same name: only what differs, in a
// fixed order. A side of several values shows them all, commas between; what a side does not know
// is "-".
std::vector<Difference> find_differences(std::span<const ComparedSide> sides);

// One sentence for each measurement of one method, of what machines do by themselves, that differs
// between the first side and a further one: the intervals of the two sides, each over all its
// reports, are disjoint, and the rates differ by `threshold` at least. One sentence where none
// does; empty where the sides have no measurement in common. Source: docs/METRICS.md, "The
// machine's fingerprint".
std::vector<std::string> compare_fingerprints(std::span<const ComparedSide> sides,
                                              double threshold);

// Whether every side has fingerprints and no point at all, as reports of doctor --measure.
bool are_fingerprints_alone(std::span<const ComparedSide> sides);

}  // namespace scalemark::reporting
