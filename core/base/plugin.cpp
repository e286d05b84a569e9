#include "core/base/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "build_stamp.h"
#include "core/base/error.h"

namespace scalemark {

std::optional<std::string> torch_version(const std::filesystem::path& folder) {
  constexpr std::string_view kStart = "__version__ = '";
  std::ifstream file(folder / "version.py", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t start = text.find(kStart);
  if (start == std::string::npos) return std::nullopt;
  const std::size_t begin = start + kStart.size(), end = text.find('\'', begin);
  if (end == std::string::npos) return std::nullopt;
  return text.substr(begin, end - begin);
}

namespace {

// 2.11 is before 2.12 and after 2.9: as a number, 2.9 would be the largest.
std::optional<std::pair<int, int>> two_numbers(std::string_view text) {
  std::pair<int, int> numbers;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, numbers.first);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return std::nullopt;
  if (std::from_chars(first.ptr + 1, end, numbers.second).ec != std::errc()) return std::nullopt;
  return numbers;
}

}  // namespace

std::string torch_minor(std::string_view version) {
  const auto numbers = two_numbers(version);
  if (!numbers) return {};
  return std::to_string(numbers->first) + "." + std::to_string(numbers->second);
}

std::string library_for(std::string_view part, std::string_view torch_minor) {
  return "libscalemark_" + std::string(part) + "-" + std::string(torch_minor) + ".so";
}

std::vector<std::string> torch_minors_of(const std::filesystem::path& folder,
                                         std::string_view part) {
  const std::string ending = ".so", whole = library_for(part, {});
  const std::string_view start = std::string_view(whole).substr(0, whole.size() - ending.size());
  std::vector<std::string> found;
  std::error_code unreadable;
  for (const auto& file : std::filesystem::directory_iterator(folder, unreadable)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(start)) continue;
    const std::string minor = torch_minor(name.substr(start.size()));
    if (!minor.empty() && name == library_for(part, minor)) found.push_back(minor);
  }
  std::ranges::sort(found, {}, two_numbers);
  return found;
}

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
