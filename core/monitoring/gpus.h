// The GPUs of this machine as NVIDIA's management library shows them. The library is loaded when
// asked, never linked: the program starts and runs without a driver. Knows nothing of CUDA or
// torch.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/monitoring/host.h"

namespace scalemark::monitoring {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";
inline constexpr const char* kCudaLibrary = "libcuda.so.1";

struct GpuSurvey {
  std::vector<Gpu> gpus;
  std::string note;           // why nothing, or not everything, is known; empty: all was read
  bool visible_only = false;  // the list is what CUDA_VISIBLE_DEVICES leaves, in CUDA's order
};

// Everything the driver reports. Never throws for a missing library, symbol or answer: what could
// not be read is absent, and `note` says what and why.
GpuSurvey survey_gpus(const std::string& library = kNvmlLibrary);

// The same; where NVML shows none, what the CUDA driver reports: names, memory and compute
// capabilities, so that checks work there too. `note` then says what is missing.
GpuSurvey look_for_gpus(const std::string& nvml = kNvmlLibrary,
                        const std::string& cuda = kCudaLibrary);

// The GPU, or its MIG instance, whose UUID CUDA reports; all null: not in the list. CUDA gives only
// the bytes, so UUIDs that differ in "GPU-" or "MIG-" before them are equal.
struct FoundGpu {
  const Gpu* gpu = nullptr;
  const MigInstance* instance = nullptr;

  std::string name() const { return instance ? instance->name : gpu ? gpu->name : ""; }
};
FoundGpu find_gpu(std::span<const Gpu> gpus, std::string_view uuid);

}  // namespace scalemark::monitoring
