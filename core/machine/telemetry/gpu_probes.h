// These probes read what one GPU does while ranks train on it, through NVML. A source that this GPU
// or driver does not give is left out.
//
// Ten times a second: sm_clock_MHz, temperature_C, power_W, utilisation (share of the time in which
// a kernel ran, as the driver counts it), memory_used_bytes, and what holds the clocks down: 1
// while it does, so that the mean is a share of the readings (hw_slowdown, hw_thermal_slowdown,
// sw_thermal_slowdown, power_brake, power_cap). At the ends: shares of the time in which clocks
// were held down (thermal_violation_share, power_..., board_limit_..., reliability_...),
// other_processes. At the ends and every 10 s: memory errors, PCIe packets sent again, Xid errors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/machine/machine_numbers.h"

namespace scalemark::monitoring {

inline constexpr const char* kOtherProcesses = "other_processes";
inline constexpr const char* kThermalViolation = "thermal_violation_share";

// Sources that are 1 while something holds the clocks down.
std::vector<const char*> clock_reasons();

// `uuid`: as CUDA reports it. `device`: how the report names it. `own_processes`: how many of the
// processes that compute on it are ours; NVML numbers them as the host does, so a container cannot
// tell which. Empty without driver or GPU, and for a MIG instance: these are values of whole GPUs.
std::vector<std::unique_ptr<Probe>> gpu_probes(const std::string& uuid, const std::string& device,
                                               int own_processes,
                                               const std::string& library = "libnvidia-ml.so.1");

}  // namespace scalemark::monitoring
