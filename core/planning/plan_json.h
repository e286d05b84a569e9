// A plan as JSON, for whoever reads --dry-run with a program. Written only.
#pragma once

#include <string>

#include "core/planning/plan.h"

namespace scalemark::planning {

// One object: points[], slices[], searches[], runs[], stop, notes[], fingerprint, estimates. What
// does not exist is absent.
std::string to_json(const Plan& plan);

}  // namespace scalemark::planning
