// A row of a comparison says in words what is certain of a change, and why nothing can be said.
// Private to this folder.
#pragma once

#include <string>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// "slower by 2.10 % (90 % interval 0.40 to 3.77 %): more than 0 is certain, more than 2 % is not".
// Empty where no change was found.
std::string what_is_certain(const statistics::PointChange& change, const Comparison& comparison);

// Empty where the row is not unsure. `tested`: how many points had enough units for a test.
std::string why_unsure(const SideOfPoint& before, const PointAgainst& against,
                       const Comparison& comparison, std::size_t tested);

}  // namespace scalemark::reporting
