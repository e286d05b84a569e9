// Finds out what machine this is: CPU, memory, limits, network cards, InfiniBand and RoCE ports,
// GPUs, and the few environment variables that change results. Reads files of Linux; starts
// nothing, opens no device and knows no torch.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/gpus.h"
#include "core/machine/host.h"

namespace scalemark::monitoring {

// Surveys this machine. What cannot be read is absent or empty; never throws for that. `root` is
// put before every path (tests), `nvml` is the library that detect_gpus() loads first; empty: GPUs
// are left out.
Host survey_host(const std::filesystem::path& root = "/", const std::string& nvml = kNvmlLibrary);

// The cores that this process may use, whole ones: affinity mask and cgroup quota, at least 1.
int usable_cores(const Host& host);
int usable_cores();

// Names flags of the CPU in the kernel's spelling: "avx2", "avx512f", "avx512_bf16", "amx_bf16",
// ...
std::vector<std::string> cpu_flags_of_interest(std::string_view cpuinfo);

// The allow-list: names that change results. Everything else, and every name that looks like a
// secret, is left out. `environment`: entries "NAME=value".
std::map<std::string, std::string> allowed_variables(std::span<const char* const> environment);
std::map<std::string, std::string> allowed_variables();  // reads this process's environment

// InfiniBand and RoCE ports as the kernel shows them, and what a process needs beside them to use
// them.
struct RdmaSurvey {
  std::vector<RdmaPort> ports;  // by device, then port
  int verbs_devices = 0;        // /dev/infiniband/uverbs*: a container may lack them
  bool peer_memory = false;     // the kernel module nvidia_peermem (formerly nv_peer_mem) is loaded
};

// Values that cannot be read are absent or empty; it never throws for that. `root` is put before
// every path (tests).
RdmaSurvey survey_rdma(const std::filesystem::path& root = "/");

}  // namespace scalemark::monitoring
