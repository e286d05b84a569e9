// In what the sides of a comparison differ beside their throughput: machine, versions, settings,
// and what points of the same name are. Private to this room.
#pragma once

#include <span>
#include <vector>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// Only what differs, in a fixed order. A side of several values shows them all, commas between;
// what a side does not know is "-".
std::vector<Difference> find_differences(std::span<const ComparedSide> sides);

}  // namespace scalemark::reporting
