// Loads libscalemark_cuda.so when a run wants a GPU, and not before: a CPU run never pays for it.
#pragma once

#include <string>

#include "engine/cuda/cuda_api.h"

namespace scalemark::device {

// `library_folder` holds libscalemark_cuda.so. Call it after load_torch_cuda(). Throws
// system_error() (71), naming what is missing or comes from another build.
const cuda::CudaApi& load_cuda_part(const std::string& library_folder);

}  // namespace scalemark::device
