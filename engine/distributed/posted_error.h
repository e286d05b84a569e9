// A waiting rank's check whether another rank has ended with a fault. Uses only the faults' keys.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "engine/distributed/error_store.h"

namespace scalemark::distributed {

// How many faults were posted in the run. One request where there are none. Throws what the store
// throws when it is gone.
std::int64_t count_posted_errors(c10d::Store& store);

// Throws the fault that another rank posted, as the cause of this rank's end; else returns.
void throw_posted_error(c10d::Store& store, ErrorStore& error_store);

}  // namespace scalemark::distributed
