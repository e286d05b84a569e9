// The only rank of a task sends what it measured to rank 0 of the sweep, which writes the row.
// Ranks of a larger point gather to rank 0 within their group. It travels in pieces, since a store
// takes 8 MiB for a value at most and a long window has more steps than that.
#pragma once

#include <cstdint>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "engine/running/point.h"

namespace scalemark::sweeping {

// `number`: of the task's message. Both throw when the store is gone.
void send_outcome(c10d::Store& store, std::int64_t number, const running::PointOutcome& outcome);
// After the sender has reported its result; takes the pieces out of the store. Throws bug() when
// there are none.
running::PointOutcome receive_outcome(c10d::Store& store, std::int64_t number);

}  // namespace scalemark::sweeping
