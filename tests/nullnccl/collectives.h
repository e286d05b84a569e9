// Collectives over a segment. Each goes chunk by chunk: every rank lays its part into its slot, all
// meet, every rank takes what is its own, all meet again.
#pragma once

#include <functional>

#include "tests/nullnccl/operation.h"
#include "tests/nullnccl/segment.h"

namespace nullnccl {

// On the thread that executes: returns when this rank's part is done. Throws Aborted.
void run_collective(Segment& segment, int rank, const Operation& operation,
                    const std::function<bool()>& aborted);

}  // namespace nullnccl
