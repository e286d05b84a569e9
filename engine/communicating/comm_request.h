// `scalemark comm` asks this of the engine. Torch-free.
#pragma once

#include <string>

#include "core/planning/collectives/collective_plan.h"
#include "engine/process/run_request.h"

namespace scalemark::communicating {

struct CommRequest {
  process::RunRequest run;
  planning::CollectivePlan plan;  // members are assigned anew when the ranks have met
  std::string settings_json;      // what is measured, for the report
};

}  // namespace scalemark::communicating
