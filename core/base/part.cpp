#include "core/base/part.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>

#include "build_stamp.h"
#include "core/base/error.h"

namespace scalemark {

Version program_version() {
  return {.version = SCALEMARK_VERSION,
          .git_commit = SCALEMARK_GIT_COMMIT,
          .git_dirty = SCALEMARK_GIT_DIRTY,
          .build_type = SCALEMARK_BUILD_TYPE,
          .compiler = SCALEMARK_COMPILER};
}

namespace {

void require_same_build(const Part& part, const PartStamp& stamp) {
  const std::string own = program_version().git_commit;
  if (std::string_view(stamp.abi) == part.abi && stamp.git_commit == own) return;
  throw system_error(part.path + " is of build " + stamp.git_commit + " (" + stamp.abi + ")",
                     "what loads it is of build " + own + " (" + part.abi + ")",
                     "install program and libraries from one build");
}

}  // namespace

void* open_library(const std::string& path, const std::string& what, const std::string& advice) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library != nullptr) return library;
  const char* reason = dlerror();
  throw system_error("cannot load " + what + ": " + (reason ? reason : path), {}, advice);
}

const PartStamp& open_part(const Part& part) {
  if (!std::filesystem::exists(part.path)) {
    throw system_error(part.path + " is not there", "it must be beside the program", part.advice);
  }
  void* library = open_library(part.path, part.path, part.advice);
  using Function = const void* (*)();
  const auto function = reinterpret_cast<Function>(dlsym(library, part.symbol));
  if (function == nullptr) {
    throw system_error(part.path + " has no " + part.symbol, "a library of the same build",
                       "install program and libraries from one build");
  }
  const auto& stamp = *static_cast<const PartStamp*>(function());
  require_same_build(part, stamp);
  return stamp;
}

}  // namespace scalemark
