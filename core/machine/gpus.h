// The GPUs of this machine as NVIDIA's management library shows them, or the CUDA driver where
// there is no such library, and which of them CUDA_VISIBLE_DEVICES leaves. Both are loaded when
// asked, never linked; neither the CUDA runtime nor torch is needed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/host.h"

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
GpuSurvey detect_gpus(const std::string& nvml = kNvmlLibrary,
                      const std::string& cuda = kCudaLibrary);

// Returns the newest CUDA that the driver supports, as GpuFacts has it (gpu_support.h): 13000 for
// 13.0; 0 where there is no driver that says so. Starts nothing; the library stays open.
int driver_cuda_version(const std::string& cuda = kCudaLibrary);

// The GPU, or its MIG instance, whose UUID CUDA reports; all null: not in the list. CUDA gives only
// the bytes, so UUIDs that differ in "GPU-" or "MIG-" before them are equal.
struct FoundGpu {
  const Gpu* gpu = nullptr;
  const MigInstance* instance = nullptr;

  std::string name() const { return instance ? instance->name : gpu ? gpu->name : ""; }
};
FoundGpu find_gpu(std::span<const Gpu> gpus, std::string_view uuid);

// --- CUDA_VISIBLE_DEVICES leaves some GPUs, as CUDA reads it: numbers or UUID prefixes, cut at the
// first entry that does not exist; none at all when one is named twice. These ask no driver.

// Indices into `gpus`, in the variable's order (absent: all); a MIG instance has that of its GPU.
std::vector<int> visible_gpus(const std::optional<std::string>& cuda_visible_devices,
                              std::span<const Gpu> gpus);

// How many GPUs that leaves, where only their number is known. UUIDs, also of MIG instances, are
// assumed to exist.
int visible_gpu_count(const std::optional<std::string>& cuda_visible_devices, int gpus);

// /dev/nvidia0, /dev/nvidia1, ...: the GPUs that this process could open.
int gpu_device_files();

}  // namespace scalemark::monitoring
