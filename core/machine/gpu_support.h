// Which drivers and GPUs the CUDA libraries in torch's wheel can run on. Pure; asks no driver.
#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/machine/gpu_code.h"

namespace scalemark::monitoring {

// `name` and the compute capability belong to the chosen GPU.
struct GpuFacts {
  int driver_cuda_version = 0;  // 13000 for CUDA 13.0, see cudaDriverGetVersion(); 0: no driver
  int device_count = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
};

// Writes a version as CUDA numbers its runtimes and drivers: 13020 as "13.2".
std::string cuda_version_text(int version);

// Returns why this machine cannot run CUDA code of this build, or nothing. `build` is the GPU code
// that must run. Sources: CUDA 13.0 release notes (driver branch r580 or newer; Turing, compute
// capability 7.5, is the oldest GPU).
std::optional<ErrorRecord> reason_unsupported(const GpuFacts& facts,
                                              CodeInBuild build = code_in_this_build());

}  // namespace scalemark::monitoring
