// scalemark train as one rank, from its start to a closed report.
#pragma once

#include "core/base/error.h"
#include "engine/running/train_request.h"

namespace scalemark::running {

// Never throws. The exit code of the process: docs/FAULTS.md.
ExitCode train(const TrainRequest& request) noexcept;

}  // namespace scalemark::running
