// Sends and receives of one group: they make progress together, chunk by chunk through mailboxes,
// so that two ranks may send to each other at once.
#pragma once

#include <functional>
#include <vector>

#include "tests/nullnccl/operation.h"
#include "tests/nullnccl/segment.h"

namespace nullnccl {

// On the thread that executes: returns when all are done. Operations with one peer in one direction
// keep their order. Throws Aborted.
void run_point_to_point(Segment& segment, int rank, const std::vector<Operation>& operations,
                        const std::function<bool()>& aborted);

}  // namespace nullnccl
