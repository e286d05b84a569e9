// scalemark train as one rank, from what the program asks of the engine to a closed report. The
// header is torch-free.
#pragma once

#include "core/base/error.h"
#include "core/settings/settings.h"
#include "engine/process/run_request.h"

namespace scalemark::running {

// `scalemark train` asks this of the engine.
struct TrainRequest {
  process::RunRequest run;
  settings::Settings settings;  // resolved
};

// Never throws. The exit code of the process: docs/FAULTS.md.
ExitCode train(const TrainRequest& request) noexcept;

}  // namespace scalemark::running
