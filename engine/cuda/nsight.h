// What Nsight Systems and Nsight Compute see of a run: cudaProfilerStart and cudaProfilerStop, and
// NVTX ranges in the default domain. Without a profiler a range costs a few nanoseconds.
#pragma once

#include <memory>

#include "engine/device/profiler.h"

namespace scalemark::cuda {

std::unique_ptr<device::OuterProfiler> make_nsight();

}  // namespace scalemark::cuda
