// Opens a library of NVIDIA's driver. Never linked: the program starts and runs without a driver.
#pragma once

#include <span>
#include <string>

namespace scalemark::monitoring {

// Where containers (NVIDIA's runtime on some clouds) and WSL put the driver, unknown to ldconfig.
std::span<const std::string> driver_folders();

// Opens `file` where the system finds it (LD_LIBRARY_PATH, ldconfig), else in `folders`; a path
// with a slash as it is. Returns the handle for dlsym(), or null; `why` then says what was tried.
void* open_driver_library(const std::string& file, std::string& why,
                          std::span<const std::string> folders = driver_folders());

}  // namespace scalemark::monitoring
