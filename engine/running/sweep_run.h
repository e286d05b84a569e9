// scalemark sweep as one rank, from an open door to a closed report.
#pragma once

#include "core/base/exit_code.h"
#include "engine/running/engine_api.h"

namespace scalemark::running {

// Never throws. The exit code of the process: docs/FAULTS.md.
ExitCode sweep(const SweepRequest& request) noexcept;

}  // namespace scalemark::running
