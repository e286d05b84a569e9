// Runs `scalemark sweep` as one rank, from the program's request to a closed report. Torch-free.
#pragma once

#include "core/base/error.h"
#include "core/plan/plan.h"
#include "core/settings/settings.h"
#include "engine/process/run_request.h"

namespace scalemark::sweeping {

// The program's request to the engine for `scalemark sweep`. `settings` are those of one point and
// hold what all points share.
struct SweepRequest {
  process::RunRequest run;
  settings::Settings settings;
  planning::Plan plan;  // the members are assigned anew when the ranks have met
};

// Never throws. Returns the exit code of the process: docs/FAULTS.md.
ExitCode sweep(const SweepRequest& request) noexcept;

}  // namespace scalemark::sweeping
