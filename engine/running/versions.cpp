#include "engine/running/versions.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/version.h>

namespace scalemark::running {
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

}  // namespace

std::map<std::string, reporting::LibraryVersion> library_versions(bool with_cuda) {
  std::map<std::string, reporting::LibraryVersion> versions;
  versions["libtorch"] = {.built_with = TORCH_VERSION, .running_with = TORCH_VERSION};
  if (with_cuda) {
    const auto& hooks = at::detail::getCUDAHooks();
    versions["cuda"] = {.running_with = cuda_version(hooks.versionCUDART())};
    if (hooks.hasCuDNN()) versions["cudnn"] = {.running_with = cudnn_version(hooks.versionCuDNN())};
  }
  return versions;
}

}  // namespace scalemark::running
