// Numbers of all ranks reduced to the largest, in the memory of one: the gather for what there is
// much of.
#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "engine/distributed/error_store.h"

namespace scalemark::distributed {

// Each value becomes the largest that any rank has in its place; equally many on every rank of the
// group. Collective, over its CPU backend. Throws what translate_collective_error() returns, at the
// latest after the timeout; `cause_limit` as for a ControlGroup.
void max_over_ranks(c10d::ProcessGroup& group, std::vector<double>& values,
                    std::chrono::milliseconds timeout, ErrorStore& error_store,
                    std::chrono::milliseconds cause_limit);

}  // namespace scalemark::distributed
