#include "engine/device/cuda_part.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "build_stamp.h"
#include "core/base/error.h"
#include "core/monitoring/driver_library.h"
#include "core/monitoring/gpus.h"
#include "engine/cuda/cuda_api.h"
#include "engine/device/open_library.h"

namespace scalemark::device {

std::unique_ptr<Device> load_cuda_device(const std::string& library_folder, int local_rank,
                                         GlooMaker make_gloo) {
  const std::string part = library_folder + "/libscalemark_cuda.so";
  if (!std::filesystem::exists(part)) {
    throw system_error("this scalemark was built without CUDA (no " + part + ")", {},
                       "build with -DSCALEMARK_CUDA=ON, or use --device cpu");
  }
  void* handle = open_library(part);

  using ApiFunction = const cuda::CudaApi* (*)();
  const auto api_function = reinterpret_cast<ApiFunction>(dlsym(handle, "scalemark_cuda_api"));
  if (api_function == nullptr) throw system_error(part + " is not scalemark's CUDA part");
  const cuda::CudaApi& api = *api_function();
  if (std::string_view(api.abi) != cuda::kCudaAbi ||
      std::string_view(api.git_commit) != SCALEMARK_GIT_COMMIT) {
    throw system_error(part + " is of build " + api.git_commit,
                       std::string("the engine is of build ") + SCALEMARK_GIT_COMMIT,
                       "install program and libraries from one build");
  }
  // The CUDA runtime asks for the driver by name alone: opened from where it lies, it is found.
  std::string why;  // a missing driver is make_device's to tell
  monitoring::open_driver_library(monitoring::kCudaLibrary, why);
  return api.make_device(local_rank, std::move(make_gloo));
}

}  // namespace scalemark::device
