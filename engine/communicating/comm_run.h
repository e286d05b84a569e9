// The function behind `scalemark comm`.
#pragma once

#include "core/base/error.h"
#include "engine/communicating/comm_request.h"

namespace scalemark::communicating {

// One rank of a collectives benchmark, from its start to its exit code. Errors are reported in
// here.
ExitCode comm(const CommRequest& request) noexcept;

}  // namespace scalemark::communicating
