// Where this process's control groups are. Private to this module.
#pragma once

#include <filesystem>
#include <vector>

namespace scalemark::monitoring {

// Folders of the group that limits this process's CPU time and of each group above it, up to the
// mount; of version 2, or of version 1's controller "cpu". Some may not exist: in a container the
// group's own path is not below the mount. Empty: no control groups.
std::vector<std::filesystem::path> cgroup_cpu_folders(const std::filesystem::path& root);

}  // namespace scalemark::monitoring
