// Which GPUs CUDA_VISIBLE_DEVICES leaves, as CUDA reads it: numbers or UUID prefixes, cut at the
// first entry that does not exist; none at all when one is named twice. Asks no driver.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/monitoring/host.h"

namespace scalemark::monitoring {

// Indices into `gpus`, in the variable's order (absent: all); that of its GPU for a MIG instance.
std::vector<int> visible_gpus(const std::optional<std::string>& cuda_visible_devices,
                              std::span<const Gpu> gpus);

// Their number, when only that is known. UUIDs, also of MIG instances, are assumed to exist.
int visible_gpu_count(const std::optional<std::string>& cuda_visible_devices, int gpus);

// /dev/nvidia0, /dev/nvidia1, ...: the GPUs that this process could open.
int gpu_device_files();

}  // namespace scalemark::monitoring
