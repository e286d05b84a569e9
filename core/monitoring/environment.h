// Finds out what machine this is: CPU, memory, limits, network cards, GPUs, and the few environment
// variables that change results. Reads files of Linux; starts nothing and knows no torch.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/monitoring/gpus.h"
#include "core/monitoring/host.h"

namespace scalemark::monitoring {

// Surveys this machine. What cannot be read is absent or empty; never throws for that. `root` is
// put before every path (tests), `nvml` is the library that look_for_gpus() loads first; empty:
// GPUs are not looked at.
Host survey_host(const std::filesystem::path& root = "/", const std::string& nvml = kNvmlLibrary);

// The cores that this process may use, whole ones: affinity mask and cgroup quota, at least 1.
int usable_cores(const Host& host);
int usable_cores();

// Names flags of the CPU in the kernel's spelling: "avx2", "avx512f", "avx512_bf16", "amx_bf16",
// ...
std::vector<std::string> cpu_flags_of_interest(std::string_view cpuinfo);

// Folders of the group that limits this process's CPU time and of each group above it, up to the
// mount; of version 2, or of version 1's controller "cpu". Some may not exist: in a container the
// group's own path is not below the mount. Empty: no control groups.
std::vector<std::filesystem::path> cgroup_cpu_folders(const std::filesystem::path& root);

CgroupLimits cgroup_limits(const std::filesystem::path& root = "/");

// The allow-list: names that change results. Everything else, and every name that looks like a
// secret, is left out. `environment`: entries "NAME=value".
std::map<std::string, std::string> allowed_variables(std::span<const char* const> environment);
std::map<std::string, std::string> allowed_variables();  // of this process

}  // namespace scalemark::monitoring
