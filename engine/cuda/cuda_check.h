// Checks CUDA runtime calls for this library.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/base/error.h"

namespace scalemark::cuda {

// Throws E_GPU_FAULT (84) or E_OUT_OF_MEMORY (80) with the call's name and the runtime's own words.
inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  const bool memory = status == cudaErrorMemoryAllocation;
  throw Error(ErrorRecord{.code = memory ? "E_OUT_OF_MEMORY" : "E_GPU_FAULT",
                          .exit_code = memory ? ExitCode::kOutOfMemory : ExitCode::kGpuFault,
                          .domain = ErrorDomain::kHardware,
                          .what = std::string(call) + ": " + cudaGetErrorString(status)});
}

}  // namespace scalemark::cuda
