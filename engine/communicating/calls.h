// One collective on fixed buffers, ready to be called again and again: through c10d, as training
// calls it, or straight at the library. Knows no clock.
#pragma once

#include <functional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "core/collectives/collective.h"
#include "engine/communicating/buffers.h"
#include "engine/device/device.h"
#include "engine/distributed/backend.h"

namespace scalemark::communicating {

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

}  // namespace scalemark::communicating
