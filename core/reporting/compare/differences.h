// How the sides of a comparison differ beside their throughput: machine, versions, settings, and
// the facts of points of the same name. Private to this folder.
#pragma once

#include <span>
#include <vector>

#include "core/reporting/compare/compare.h"

namespace scalemark::reporting {

// Only what differs, in a fixed order. A side of several values shows them all, commas between;
// what a side does not know is "-".
std::vector<Difference> find_differences(std::span<const ComparedSide> sides);

}  // namespace scalemark::reporting
