#include "apps/scalemark/library_folder.h"

#include <dlfcn.h>

#include "core/base/error.h"

namespace scalemark::cli {

std::filesystem::path library_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw system_error("cannot read /proc/self/exe: " + error.message());
  return program.parent_path();
}

void* load_symbol(const std::string& name, const char* symbol) {
  const std::string path = (library_folder() / name).string();
  if (!std::filesystem::exists(path)) {
    throw system_error(path + " is not there", "it stands beside the program",
                       "install or build scalemark completely");
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char* reason = dlerror();
    throw system_error("cannot load " + name + ": " + (reason ? reason : "unknown reason"));
  }
  void* found = dlsym(library, symbol);
  if (!found) {
    throw system_error(path + " has no " + symbol, "a library of the same build",
                       "install program and libraries from one build");
  }
  return found;
}

}  // namespace scalemark::cli
