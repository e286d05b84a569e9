// The devices that CUDA_VISIBLE_DEVICES leaves, and which one a thread is on.
#pragma once

#include <vector>

#include "identity.h"

namespace nullcuda {

// Indices into the machine's devices.
const std::vector<int>& visible_devices();

int current_device();  // each thread has its own: an index into visible_devices()

}  // namespace nullcuda
