// scalemark sweep as one rank, from its start to a closed report.
#pragma once

#include "core/base/error.h"
#include "engine/sweeping/sweep_request.h"

namespace scalemark::sweeping {

// Never throws. The exit code of the process: docs/FAULTS.md.
ExitCode sweep(const SweepRequest& request) noexcept;

}  // namespace scalemark::sweeping
