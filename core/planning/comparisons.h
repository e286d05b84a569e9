// Which points of a sweep differ in one axis only: what effects and --tune compare. Pure.
#pragma once

#include <vector>

#include "core/planning/plan.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::planning {

// Of each axis with several values, each combination of the others and each world size that was
// asked for: the points of the axis's values, in the order typed. Comparisons of fewer than two
// different points are left out (an exchange option on one rank), as are values of an axis against
// a point that the first value lacks. Another axis may have no effect at one of the values
// (readers of synthetic data): such points are compared with each of the others. The axes
// `workload` and the world size have none: other work is no effect, and scaling has its own tables.
std::vector<Comparison> comparisons_of(const Plan& plan, const std::vector<settings::Axis>& axes);

}  // namespace scalemark::planning
