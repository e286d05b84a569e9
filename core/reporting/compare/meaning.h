// The reader of a comparison learns here what its verdicts mean, and what would settle them.
// Private to this folder.
#pragma once

#include <string>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// One paragraph: the verdicts, and the unit.
std::string what_it_can_say(const Comparison& comparison);

// Advises sessions where too little is known; empty where nothing is open.
std::string what_makes_it_surer(const Comparison& comparison);

}  // namespace scalemark::reporting
