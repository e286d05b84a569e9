// Names of the points of `comm`: short, readable, and the same for the same point of every plan.
// Pure.
#pragma once

#include <string>

#include "core/planning/collectives/collective_plan.h"

namespace scalemark::planning {

// "all-reduce-4KiB-fp32-w2-gloo", "barrier-w2-mpi-direct"; then what is not as usual: -out-of-place
// or -in-place, -overlap-compute, -congestion, -spread. `size`: of the point, or what was asked for
// where it cannot be.
std::string point_name(const CollectivePoint& point, const std::string& size);

}  // namespace scalemark::planning
