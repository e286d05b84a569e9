// scalemark comm as one rank, from what the program asks of the engine to its exit code. The header
// is torch-free.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/plan/collectives/collective_plan.h"
#include "engine/process/run_request.h"

namespace scalemark::communicating {

// `scalemark comm` asks this of the engine.
struct CommRequest {
  process::RunRequest run;
  planning::CollectivePlan plan;  // members are assigned anew when the ranks have met
  std::string settings_json;      // the report holds them: the process's and comm's
};

// Errors are reported in here.
ExitCode comm(const CommRequest& request) noexcept;

}  // namespace scalemark::communicating
