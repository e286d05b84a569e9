#include "engine/device/open_library.h"

#include <dlfcn.h>

#include "core/base/error.h"

namespace scalemark::device {

void* open_library(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    throw system_error(std::string("cannot load the CUDA part: ") + dlerror(), {},
                       "install torch==2.11.0 with its CUDA libraries, or use --device cpu");
  }
  return handle;
}

}  // namespace scalemark::device
