// The memory that a collective reads and writes on one rank.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/collectives/collective.h"
#include "core/planning/collectives/collective_plan.h"

namespace scalemark::communicating {

// One-dimensional. In place both are one tensor, or where a rank has a share of the whole, the
// share is a view of the whole at this rank's place. A barrier has neither; what only the root of a
// gather receives is undefined on the other ranks.
struct Buffers {
  at::Tensor input, output;
};

collectives::Exchange exchange_of(const planning::CollectivePoint& point, int round);

// Makes the buffers of rank `rank` of the point's group. Throws what the allocator throws.
Buffers make_buffers(const planning::CollectivePoint& point, int rank, c10::Device device);

}  // namespace scalemark::communicating
