#include "core/base/plugin.h"

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

void require_same_build(const Plugin& plugin, const PluginStamp& stamp) {
  const std::string own = program_version().git_commit;
  if (std::string_view(stamp.abi) == plugin.abi && stamp.git_commit == own) return;
  throw system_error(plugin.path + " is of build " + stamp.git_commit + " (" + stamp.abi + ")",
                     "what loads it is of build " + own + " (" + plugin.abi + ")",
                     "install program and libraries from one build");
}

}  // namespace

void* open_library(const std::string& path, const std::string& what, const std::string& advice) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library != nullptr) return library;
  const char* reason = dlerror();
  throw system_error("cannot load " + what + ": " + (reason ? reason : path), {}, advice);
}

const PluginStamp& open_plugin(const Plugin& plugin) {
  if (!std::filesystem::exists(plugin.path)) {
    throw system_error(plugin.path + " is not there", "it must be beside the program",
                       plugin.advice);
  }
  void* library = open_library(plugin.path, plugin.path, plugin.advice);
  using Function = const void* (*)();
  const auto function = reinterpret_cast<Function>(dlsym(library, plugin.symbol));
  if (function == nullptr) {
    throw system_error(plugin.path + " has no " + plugin.symbol, "a library of the same build",
                       "install program and libraries from one build");
  }
  const auto& stamp = *static_cast<const PluginStamp*>(function());
  require_same_build(plugin, stamp);
  return stamp;
}

}  // namespace scalemark
