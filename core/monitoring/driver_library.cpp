#include "core/monitoring/driver_library.h"

#include <dlfcn.h>

#include <array>

namespace scalemark::monitoring {

std::span<const std::string> driver_folders() {
  static const std::array<std::string, 2> kFolders{"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"};
  return kFolders;
}

void* open_driver_library(const std::string& file, std::string& why,
                          std::span<const std::string> folders) {
  if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  const char* reason = dlerror();
  why = std::string("no NVIDIA driver library: ") + (reason ? reason : file.c_str());
  if (file.find('/') != std::string::npos) return nullptr;
  std::string tried;
  for (const std::string& folder : folders) {
    if (void* handle = dlopen((folder + "/" + file).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    tried += (tried.empty() ? "; nor in " : ", ") + folder;
  }
  why += tried;
  return nullptr;
}

}  // namespace scalemark::monitoring
