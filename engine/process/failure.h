// Turns whatever ended a rank into one ErrorRecord with the right exit code.
#pragma once

#include <exception>

#include "core/base/error.h"
#include "engine/distributed/error_store.h"

namespace scalemark::process {

// Does as distributed::record_of(), but a failed collective is the cause that a peer posted on
// `error_store`, if one did. `error_store` may be null: before the ranks have met, or where nobody
// posts.
ErrorRecord record_of(const std::exception_ptr& exception, distributed::ErrorStore* error_store);

}  // namespace scalemark::process
