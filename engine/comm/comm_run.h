// Runs `scalemark comm` as one rank, from the program's request to the exit code. Torch-free.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/plan/collectives/collective_plan.h"
#include "engine/process/run_request.h"

namespace scalemark::communicating {

// The program's request to the engine for `scalemark comm`.
struct CommRequest {
  process::RunRequest run;
  planning::CollectivePlan plan;  // the members are assigned anew when the ranks have met
  std::string settings_json;      // the process's and comm's, for the report
};

// Reports its errors itself.
ExitCode comm(const CommRequest& request) noexcept;

}  // namespace scalemark::communicating
