// Collectives over a segment. Each goes chunk by chunk: every rank writes its part into its slot,
// barrier, every rank reads its result, barrier.
#pragma once

#include <functional>

#include "tests/nullnccl/operation.h"
#include "tests/nullnccl/segment.h"

namespace nullnccl {

// On the thread that executes: returns when this rank's part is done. Throws Aborted.
void run_collective(Segment& segment, int rank, const Operation& operation,
                    const std::function<bool()>& aborted);

}  // namespace nullnccl
