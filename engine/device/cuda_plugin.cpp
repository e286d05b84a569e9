#include "engine/device/cuda_plugin.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include "core/base/error.h"
#include "core/base/plugin.h"
#include "core/machine/driver_library.h"
#include "core/machine/gpus.h"
#include "engine/torch/compat.h"

namespace scalemark::device {

void load_torch_cuda(const std::string& torch_folder) {
  for (const char* name : {"libc10_cuda.so", "libtorch_cuda.so"}) {
    open_library(torch_folder + "/lib/" + name, "torch's CUDA libraries",
                 "install a torch " + std::string(compat::kTorchMinor) +
                     " with CUDA libraries, or use --device cpu");
  }
  // This query stands for any that the hooks answer without a driver. Without CUDA the default
  // hooks return false.
  if (!at::detail::getCUDAHooks().compiledWithCuDNN()) {
    throw bug("something asked torch for CUDA before torch's CUDA libraries were loaded");
  }
}

const cuda::CudaApi& load_cuda_plugin(const std::string& library_folder) {
  const auto& api = open_plugin_as<cuda::CudaApi>(
      {.path = library_folder + "/" + library_for("cuda", compat::kTorchMinor),
       .symbol = "scalemark_cuda_api",
       .abi = cuda::kCudaAbi,
       .advice = "build with -DSCALEMARK_CUDA=ON, or use --device cpu"});
  // The CUDA runtime opens the driver by name alone, so it gets the one that is already open.
  std::string why;  // unused: make_device() reports a missing driver
  monitoring::open_driver_library(monitoring::kCudaLibrary, why);
  return api;
}

}  // namespace scalemark::device
