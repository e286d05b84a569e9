// Loads torch's CUDA libraries and our part for GPUs, only in runs that want a GPU: a CPU run
// never pays for them.
#pragma once

#include <string>

#include "engine/cuda/cuda_api.h"

namespace scalemark::device {

// Loads torch's CUDA libraries before anything asks torch whether there is CUDA: torch keeps its
// first answer until the process ends (at::detail::getCUDAHooks), and without these libraries that
// answer is no. at::manual_seed, at::hasCUDA, pinned memory and the search for an accelerator all
// ask.
//
// The libraries come from the wheel in `torch_folder`, so that a moved bundle finds this torch.
// They load without a driver, too. A second call changes nothing. Throws system_error() (71) when
// one does not load, bug() (70) when something has asked torch already.
void load_torch_cuda(const std::string& torch_folder);

// Loads libscalemark_cuda from `library_folder`. Call it after load_torch_cuda(). Throws
// system_error() (71), naming what is missing or comes from another build.
const cuda::CudaApi& load_cuda_plugin(const std::string& library_folder);

}  // namespace scalemark::device
