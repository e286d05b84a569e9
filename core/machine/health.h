// Counters of errors, and of what holds hardware back, as driver and kernel keep them: whoever
// compares two snapshots of them sees what happened in between. A counter that cannot be read is
// left out; nothing here throws for that. METRICS.md, "Health", says what each counts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/machine/gpus.h"

namespace scalemark::monitoring {

struct HealthCounter {
  std::string device;   // "cuda:0", "mlx5_0/1" (a port), "eth0", "mc0" (a memory controller)
  std::string uuid;     // only a GPU has one
  std::string counter;  // "ecc_uncorrected_volatile"; with its unit where it is no count: ..._s
  double value = 0;
};

namespace nvml {
class Library;
}

// One GPU. It also notes the Xid errors that the driver reports for it while this object lives.
class GpuHealth {
 public:
  // `uuid`: as CUDA reports it. `device`: how the report names it. Null without driver or GPU, and
  // for a MIG instance: these are counters of whole GPUs.
  static std::unique_ptr<GpuHealth> open(const std::string& uuid, const std::string& device,
                                         const std::string& library = kNvmlLibrary);
  ~GpuHealth();
  GpuHealth(const GpuHealth&) = delete;
  GpuHealth& operator=(const GpuHealth&) = delete;

  std::vector<HealthCounter> read();
  // Reads only what a run watches: the counters that machine_numbers.inc names, and Xid errors.
  std::vector<HealthCounter> read_errors();

 private:
  class Events;

  GpuHealth(std::unique_ptr<nvml::Library> library, void* gpu, HealthCounter like);

  std::unique_ptr<nvml::Library> library_;
  void* gpu_;  // nvml::Device
  HealthCounter like_;
  std::unique_ptr<Events> events_;  // ends before the library does
};

// InfiniBand and RoCE ports, network interfaces that are hardware, and memory controllers. `root`
// is put before every path (tests).
std::vector<HealthCounter> machine_health(const std::filesystem::path& root = "/");

}  // namespace scalemark::monitoring
