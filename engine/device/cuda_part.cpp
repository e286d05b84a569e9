#include "engine/device/cuda_part.h"

#include "core/base/part.h"
#include "core/monitoring/driver_library.h"
#include "core/monitoring/gpus.h"

namespace scalemark::device {

const cuda::CudaApi& load_cuda_part(const std::string& library_folder) {
  const auto& api = open_part_as<cuda::CudaApi>(
      {.path = library_folder + "/libscalemark_cuda.so",
       .symbol = "scalemark_cuda_api",
       .abi = cuda::kCudaAbi,
       .advice = "build with -DSCALEMARK_CUDA=ON, or use --device cpu"});
  // The CUDA runtime opens the driver by name alone: it finds one that is already open.
  std::string why;  // unused: make_device() reports a missing driver
  monitoring::open_driver_library(monitoring::kCudaLibrary, why);
  return api;
}

}  // namespace scalemark::device
