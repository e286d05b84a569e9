// Plain records describe one machine for reports, with the id of a GPU as nvidia-smi writes it.
// Header-only: the CUDA plugin, which links nothing of monitoring, uses it too. Knows nothing of
// how records are filled (environment.h, gpus.h) or written down (report).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/digest.h"

namespace scalemark::monitoring {

struct Cores {
  int physical = 0;  // counts the whole machine
  int logical = 0;   // counts the whole machine, hyper-threads too
  int usable = 0;    // in this process's affinity mask
};

// The tightest limit on the way up from the process's own group; absent: no limit.
struct CgroupLimits {
  int version = 0;  // 0: none mounted, 1, 2
  std::optional<double> cpus;
  std::optional<std::uint64_t> memory_bytes;
};

struct Nic {
  std::string name;
  std::string state;                             // "up" | "down" | "unknown"
  std::optional<std::int64_t> speed_Mbit_per_s;  // the driver says so; virtual ones have none
  std::optional<std::int64_t> mtu;
};

// One port of an InfiniBand or RoCE adapter. The words are the kernel's.
struct RdmaPort {
  std::string device;  // "mlx5_0"
  int port = 1;
  std::string state;           // "ACTIVE", "DOWN", ...
  std::string physical_state;  // "LinkUp", "Polling", "Disabled", ...
  std::string link_layer;      // "InfiniBand", or "Ethernet": RoCE
  std::optional<double> rate_Gbit_per_s;
  std::string netdev;  // network interface of the same port; empty: none
};

struct Pcie {
  std::optional<int> generation, width;  // the link uses these now
};

// A slice of a GPU in MIG mode, with memory and multiprocessors of its own. The driver counts
// energy of whole GPUs only.
struct MigInstance {
  std::string name, uuid;  // "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "MIG-..."
  std::uint64_t memory_bytes = 0;
};

struct Gpu {
  int index = 0;  // NVML's order: by PCI address
  std::string name, uuid, pci;
  std::string serial;  // empty: the driver does not report it
  std::uint64_t memory_bytes = 0;
  std::string driver;  // empty: read through CUDA, which lacks it
  std::optional<int> compute_major, compute_minor;
  std::optional<int> max_sm_clock_MHz, max_memory_clock_MHz;
  std::optional<double> power_limit_W;
  Pcie pcie;
  std::optional<int> nvlinks;  // active links
  std::vector<MigInstance> mig_instances;
};

struct Host {
  std::string hostname, os, kernel, cpu;
  std::string scheduler_node;  // its name in Slurm or Kubernetes; empty: in neither
  std::string boot_id;         // the kernel's, another after each boot; empty: unknown
  Cores cores;
  std::vector<std::string> cpu_flags;  // only those of interest: avx2, avx512f, amx_bf16, ...
  CgroupLimits cgroup;
  std::uint64_t memory_bytes = 0;
  std::vector<Nic> nics;
  std::vector<RdmaPort> rdma;
  std::vector<Gpu> gpus;          // all that the driver shows
  std::vector<int> visible_gpus;  // indices that CUDA_VISIBLE_DEVICES leaves, in its order
  std::string gpu_note;           // why nothing or not everything is known of GPUs; may be empty
};

// The id of a GPU: "GPU-" and the bytes in hexadecimal digits, grouped 4-2-2-2-6.
inline std::string gpu_uuid(std::span<const unsigned char, 16> bytes) {
  std::string text = "GPU-" + hexadecimal(std::as_bytes(bytes));
  for (const std::size_t at : {12U, 17U, 22U, 27U}) text.insert(at, 1, '-');
  return text;
}

}  // namespace scalemark::monitoring
