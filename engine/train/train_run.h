// Runs `scalemark train` as one rank, from the program's request to a closed report. Torch-free.
#pragma once

#include "core/base/error.h"
#include "core/settings/settings.h"
#include "engine/process/run_request.h"

namespace scalemark::running {

// The program's request to the engine for `scalemark train`.
struct TrainRequest {
  process::RunRequest run;
  settings::Settings settings;  // resolved
};

// Never throws. Returns the exit code of the process: docs/FAULTS.md.
ExitCode train(const TrainRequest& request) noexcept;

}  // namespace scalemark::running
