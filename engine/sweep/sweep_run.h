// scalemark sweep as one rank, from what the program asks of the engine to a closed report. The
// header is torch-free.
#pragma once

#include "core/base/error.h"
#include "core/plan/plan.h"
#include "core/settings/settings.h"
#include "engine/process/run_request.h"

namespace scalemark::sweeping {

// `scalemark sweep` asks this of the engine. `settings` are those of one point: they hold what all
// points share.
struct SweepRequest {
  process::RunRequest run;
  settings::Settings settings;
  planning::Plan plan;  // members are assigned anew when the ranks have met
};

// Never throws. The exit code of the process: docs/FAULTS.md.
ExitCode sweep(const SweepRequest& request) noexcept;

}  // namespace scalemark::sweeping
