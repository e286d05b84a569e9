// The energy used over a stretch of time, from the machine's counters: RAPL for CPU packages, NVML
// for one GPU. Knows neither ranks nor windows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace scalemark::monitoring {

class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;

  // Starts a stretch.
  virtual void begin() = 0;

  // Joules since begin(), one value per counter: each CPU package, or the GPU. Empty when a counter
  // cannot be read, or when the stretch was so long that one may have wrapped around unseen.
  virtual std::vector<double> joules() = 0;
};

// RAPL's package zones (kernel: Documentation/power/powercap). Null where there are none or they
// cannot be read: virtual machines, and since 2020 everybody but root.
std::unique_ptr<EnergyMeter> open_cpu_energy(
    const std::filesystem::path& powercap = "/sys/class/powercap");

// nvmlDeviceGetTotalEnergyConsumption, from Volta on. Null without driver, GPU or that function,
// and for a MIG instance: the counter is the whole GPU's, others compute on it as well.
std::unique_ptr<EnergyMeter> open_gpu_energy(const std::string& uuid,
                                             const std::string& library = "libnvidia-ml.so.1");

}  // namespace scalemark::monitoring
