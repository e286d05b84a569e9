#include "engine/process/versions.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/Allocator.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/part.h"
#include "engine/process/build_ids.h"

namespace scalemark::process {
namespace {

// 13000 -> "13.0", as CUDA numbers its runtimes.
std::string cuda_version(long version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// 91900 -> "9.19.0"
std::string cudnn_version(long version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

// lib/libc10.so lies in the folder that holds version.py.
std::filesystem::path torch_folder() {
  Dl_info library{};
  const auto* symbol = reinterpret_cast<const void*>(&c10::GetAllocator);
  if (dladdr(symbol, &library) == 0 || library.dli_fname == nullptr) return {};
  return std::filesystem::path(library.dli_fname).parent_path().parent_path();
}

}  // namespace

std::string loaded_torch_version() {
  constexpr std::string_view kStart = "__version__ = '";
  std::ifstream file(torch_folder() / "version.py", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t start = text.find(kStart);
  if (start == std::string::npos) return TORCH_VERSION;
  const std::size_t begin = start + kStart.size();
  return text.substr(begin, text.find('\'', begin) - begin);
}

std::map<std::string, reporting::LibraryVersion> library_versions(
    bool with_cuda, const std::map<std::string, distributed::LibraryVersion>& backends) {
  std::map<std::string, reporting::LibraryVersion> versions;
  versions["libtorch"] = {.built_with = TORCH_VERSION, .running_with = loaded_torch_version()};
  if (with_cuda) {
    const auto& hooks = at::detail::getCUDAHooks();
    versions["cuda"] = {.running_with = cuda_version(hooks.versionCUDART())};
    if (hooks.hasCuDNN()) versions["cudnn"] = {.running_with = cudnn_version(hooks.versionCuDNN())};
  }
  for (const auto& [name, version] : backends) {
    versions[name] = {.built_with = version.built_with, .running_with = version.running_with};
  }
  if (program_version().git_dirty) {
    for (const auto& [name, id] : build_ids()) versions[name] = {.running_with = "build " + id};
  }
  return versions;
}

}  // namespace scalemark::process
