// The interface of libscalemark_cuda.so. No CUDA header here: the engine includes it on machines
// without CUDA.
#pragma once

#include <memory>

#include "engine/device/cpu_device.h"
#include "engine/device/device.h"

namespace scalemark::cuda {

inline constexpr const char* kCudaAbi = "scalemark-cuda/1";

struct CudaApi {
  const char* abi;         // kCudaAbi
  const char* git_commit;  // of the build

  // What the CUDA runtime says of this machine. Throws system_error() (71) when there is no driver,
  // or when the driver or the GPU that local_rank gets is too old, naming both versions. The device
  // is local_rank % device count: some launchers show each rank just its own GPU.
  std::unique_ptr<device::Device> (*make_device)(int local_rank, device::GlooMaker make_gloo);
};

}  // namespace scalemark::cuda

extern "C" const scalemark::cuda::CudaApi* scalemark_cuda_api();
