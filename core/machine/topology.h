// Reads from /sys and /proc how the CPUs that this process may use lie, and what it is bound to.
// places.h decides by it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/machine/places.h"

namespace scalemark::monitoring {

// The CPUs of the affinity mask. Where the kernel does not say, the simplest machine is assumed: a
// CPU without siblings is a core, one package, one memory node. `root` is put before every path.
placement::Topology read_topology(const std::filesystem::path& root = "/");

// "0-3,8": the CPUs that the main thread, and what it starts, may use. Empty: unknown.
std::string allowed_cpus(const std::filesystem::path& root = "/");

// The memory node that set_mempolicy(2) has made this thread prefer; absent: none.
std::optional<int> preferred_memory_node();

// The memory node of a PCI device, named as NVML does ("00000000:3B:00.0"); absent: unknown.
std::optional<int> memory_node_of_pci(std::string_view address,
                                      const std::filesystem::path& root = "/");

}  // namespace scalemark::monitoring
