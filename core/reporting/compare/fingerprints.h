// Whether the machines of two sides do the same by themselves, by what their reports measured of
// them. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// One sentence for each measurement of one method that differs between the first side and a further
// one: the intervals of the two sides, each over all its reports, are disjoint, and the rates
// differ by `threshold` at least. One sentence where none does; empty where the sides have no
// measurement in common. Source: docs/METRICS.md, "The machine's fingerprint".
std::vector<std::string> compare_fingerprints(std::span<const ComparedSide> sides,
                                              double threshold);

// Whether every side has fingerprints and no point at all, as reports of doctor --measure.
bool are_fingerprints_alone(std::span<const ComparedSide> sides);

}  // namespace scalemark::reporting
