// CUDA graphs through ATen's, which knows torch's allocator and random generators.
#pragma once

#include <memory>

#include "engine/device/graph.h"

namespace scalemark::cuda {

// Of the current device.
std::unique_ptr<device::Graph> make_cuda_graph();

}  // namespace scalemark::cuda
