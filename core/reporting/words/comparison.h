// A comparison is put into words here: what is certain of a row's change, why nothing can be said,
// what the verdicts mean, and what would settle them. Pure.
#pragma once

#include <string>

#include "core/reporting/record/comparison.h"

namespace scalemark::reporting {

// "a difference is certain, one of more than 2 % is not". Empty where no change was found.
std::string what_is_certain(const statistics::PointChange& change, const Comparison& comparison);

// A clause that may follow "because"; it names no number of the row, so that rows can share it.
// Empty where the row is decided. `tested`: how many points had enough units for a test.
std::string why_undecided(const SideOfPoint& before, const PointAgainst& against,
                          const Comparison& comparison, std::size_t tested);

// One paragraph: the verdicts, and the unit.
std::string what_it_can_say(const Comparison& comparison);

// Advises sessions where too little is known; empty where nothing is open.
std::string what_makes_it_surer(const Comparison& comparison);

}  // namespace scalemark::reporting
