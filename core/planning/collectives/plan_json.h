// The plan of `comm` as JSON, for programs that read --dry-run. It is never read back.
#pragma once

#include <string>

#include "core/planning/collectives/collective_plan.h"

namespace scalemark::planning {

// One object: points[], world_size, repetitions, seed, notes[], runs, estimated_s, fingerprint.
std::string to_json(const CollectivePlan& plan);

// 16 hex digits over what is measured and in which order: equal on every rank of one run.
std::string plan_fingerprint(const CollectivePlan& plan);

}  // namespace scalemark::planning
