// The reader of a comparison's table learns here what its verdicts mean and what they rest on.
// Private to this folder.
#pragma once

#include <string>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// One paragraph, with a line end: the verdicts, the unit, and what to do when too little is known.
std::string what_it_can_say(const Comparison& comparison);

}  // namespace scalemark::reporting
