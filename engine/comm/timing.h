// One collective on fixed buffers: its memory, its call, ready to be made again and again, and how
// long the call takes.
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
#include "engine/distributed/control_group.h"

namespace scalemark::communicating {

// The tensors are one-dimensional. In place, both are the same tensor, or, where a rank has a share
// of the whole, the share is a view of the whole at this rank's place. A barrier has neither; the
// root alone has a receive tensor for a gather.
struct Buffers {
  at::Tensor input, output;
};

collectives::Exchange exchange_of(const planning::CollectivePoint& point, int round);

// Makes the buffers of rank `rank` of the point's group. Throws what the allocator throws.
Buffers make_buffers(const planning::CollectivePoint& point, int rank, c10::Device device);

// A call goes through c10d, as training calls it, or straight at the library. Knows no clock.
struct Call {
  std::function<void()> start;   // on return a CPU has done the call; a GPU has it in its queue
  std::function<void()> finish;  // returns when everything that was started is done
};

// `group` and `device` must outlive the call. Where the backend lacks the collective, c10d's
// exception is thrown when the call starts at the latest.
Call c10d_call(collectives::Collective collective, const Buffers& buffers,
               const c10::intrusive_ptr<c10d::ProcessGroup>& group, device::Device& device);

// `communicator` must outlive the call. `elements` is the size as nccl-tests counts it.
Call direct_call(collectives::Collective collective, const Buffers& buffers, std::int64_t elements,
                 collectives::DataType type, distributed::DirectCommunicator& communicator);

// A collective is timed in a loop without pauses for throughput, as nccl-tests does, and by
// isolated calls for latency. Every rank makes the same calls, equally many. `calls` counts all of
// them, warm-up included; `iterations` counts those of the loop. `time_s` is this rank's time for
// one call of the loop.
struct Timing {
  std::int64_t calls = 0;
  std::int64_t iterations = 0;
  double time_s = 0;
  // The slowest rank's seconds of each isolated call, which begins as all ranks leave a barrier.
  std::vector<double> slowest_s;
};

// Collective over the ranks of `control`. `barrier` runs over the same connections as `call`, so
// that the ranks leave it nearly together. All ranks call `between` alike, between the parts and
// after each call that takes long: it may end the timing by throwing on all of them.
Timing time_call(const Call& call, const Call& barrier, distributed::ControlGroup& control,
                 const std::function<void()>& between,
                 const distributed::Clock& clock = distributed::real_clock());

}  // namespace scalemark::communicating
