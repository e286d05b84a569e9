// Turns whatever ended a rank into one ErrorRecord with the right exit code.
#pragma once

#include <exception>

#include "core/base/error.h"
#include "engine/distributed/fault.h"

namespace scalemark::running {

// Our own errors as they are; memory that was refused is E_OUT_OF_MEMORY (80); a CUDA error is
// E_GPU_FAULT (84); a failed collective is the cause that a peer posted on `board`, or E_PEER_LOST
// (69); all else is E_BUG (70). `board` may be null: before the ranks have met.
ErrorRecord record_of(const std::exception_ptr& exception, distributed::FaultBoard* board);

}  // namespace scalemark::running
