// Turns whatever ended a rank into one ErrorRecord with the right exit code.
#pragma once

#include <exception>

#include "core/base/error.h"
#include "engine/distributed/fault.h"

namespace scalemark::running {

// As distributed::record_of(), but a failed collective is the cause that a peer posted on `board`,
// if one did. `board` may be null: before the ranks have met, or where nobody posts.
ErrorRecord record_of(const std::exception_ptr& exception, distributed::FaultBoard* board);

}  // namespace scalemark::running
