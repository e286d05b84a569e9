// Loads libscalemark_cuda.so when a run wants a GPU, and not before: a CPU run never pays for it.
#pragma once

#include <memory>
#include <string>

#include "engine/device/cpu_device.h"
#include "engine/device/device.h"

namespace scalemark::device {

// The GPU of `local_rank`. `library_folder` holds libscalemark_cuda.so. After load_torch_cuda().
// Throws system_error() (71) saying what is missing or too old.
std::unique_ptr<Device> load_cuda_device(const std::string& library_folder, int local_rank,
                                         GlooMaker make_gloo);

}  // namespace scalemark::device
