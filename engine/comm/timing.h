// One collective on fixed buffers: the memory that it reads and writes, the call, ready to be made
// again and again, and how long it takes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "core/collectives/collective.h"
#include "core/plan/collectives/collective_plan.h"
#include "engine/device/device.h"
#include "engine/distributed/backend.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/groups.h"

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

// A call goes through c10d, as training calls it, or straight at the library. Knows no clock.
struct Call {
  std::function<void()> start;   // a CPU is done with it on return; a GPU has it in its queue
  std::function<void()> finish;  // returns when everything that was started is done
};

// `group` and `device` must outlive the call. Throws what c10d throws for a collective that the
// backend lacks, at the latest when it is started.
Call c10d_call(collectives::Collective collective, const Buffers& buffers,
               const c10::intrusive_ptr<c10d::ProcessGroup>& group, device::Device& device);

// `communicator` must outlive the call. `elements`: as nccl-tests counts them.
Call direct_call(collectives::Collective collective, const Buffers& buffers, std::int64_t elements,
                 collectives::DataType type, distributed::DirectCommunicator& communicator);

// A collective is timed in a loop without pauses for throughput, as nccl-tests times it, and by
// calls by themselves for latency. Every rank makes the same calls in the same number. `calls`
// counts all of them, warm-up too, `iterations` those of the loop. `time_s` is this rank's for one
// call of the loop.
struct Timing {
  std::int64_t calls = 0;
  std::int64_t iterations = 0;
  double time_s = 0;
  // Holds the slowest rank's seconds of each isolated call, which begins as all ranks leave a
  // barrier.
  std::vector<double> slowest_s;
};

// Collective over the ranks of `control`. `barrier`: over the same connections as `call`, so that
// the ranks leave it nearly together.
// `between` is called by all ranks alike, between the parts and after each call that takes long: it
// may end the timing by throwing on all of them.
Timing time_call(const Call& call, const Call& barrier, distributed::ControlGroup& control,
                 const std::function<void()>& between,
                 const distributed::Clock& clock = distributed::real_clock());

}  // namespace scalemark::communicating
