// NCCL called without c10d, on the communicator of a c10d group.
#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "engine/distributed/backend.h"

namespace scalemark::cuda {

// `group` has its communicator and outlives the result. Calls go to the current stream.
std::unique_ptr<distributed::DirectCommunicator> make_direct_nccl(c10d::ProcessGroupNCCL& group);

}  // namespace scalemark::cuda
