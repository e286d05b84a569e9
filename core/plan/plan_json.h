// A plan as JSON, for programs that read --dry-run or a report, and as the settings by which
// sessions and ranks recognise it. The JSON is never read back.
#pragma once

#include <string>

#include "core/plan/plan.h"

namespace scalemark::planning {

// One object: points[], slices[], searches[], runs[], stop, notes[], fingerprint, estimates. What
// does not exist is absent.
std::string to_json(const Plan& plan);

// One object: resume_settings() as values: "workload": "mlp", "batch_size": [32, 64]; and the
// sweep's own options as resolved.
std::string settings_json(const Plan& plan);

}  // namespace scalemark::planning
