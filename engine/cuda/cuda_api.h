// libscalemark_cuda offers this to the engine. No CUDA header may stand here: the engine
// includes it on machines without CUDA.
#pragma once

#include <memory>

#include "core/base/plugin.h"
#include "engine/device/device.h"

namespace scalemark::distributed {
class BackendProvider;
}

namespace scalemark::cuda {

inline constexpr const char* kCudaAbi = "scalemark-cuda/5";

struct CudaApi {
  PluginStamp stamp;

  // Makes the device of local_rank. Throws system_error() (71) when there is no driver, or when the
  // driver or that GPU is too old, naming both versions. The device is local_rank % device count:
  // some launchers show each rank just its own GPU.
  std::unique_ptr<device::Device> (*make_device)(int local_rank);

  // Returns NCCL's provider, which lives as long as the process.
  const distributed::BackendProvider& (*nccl)();
};

}  // namespace scalemark::cuda

extern "C" const scalemark::cuda::CudaApi* scalemark_cuda_api();
