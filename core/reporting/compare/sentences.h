// A row of a comparison says in words what is certain of a change, and why nothing can be said.
// Private to this folder.
#pragma once

#include <string>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// "a difference is certain, one of more than 2 % is not". Empty where no change was found.
std::string what_is_certain(const statistics::PointChange& change, const Comparison& comparison);

// A clause that may follow "because"; it names no number of the row, so that rows can share it.
// Empty where the row is decided. `tested`: how many points had enough units for a test.
std::string why_undecided(const SideOfPoint& before, const PointAgainst& against,
                          const Comparison& comparison, std::size_t tested);

}  // namespace scalemark::reporting
