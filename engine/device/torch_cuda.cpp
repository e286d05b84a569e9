#include "engine/device/torch_cuda.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include "core/base/error.h"
#include "engine/device/open_library.h"

namespace scalemark::device {

void load_torch_cuda(const std::string& torch_folder) {
  open_library(torch_folder + "/lib/libc10_cuda.so");
  open_library(torch_folder + "/lib/libtorch_cuda.so");
  // Any question that the hooks answer without a driver; their stand-in without CUDA says no.
  if (!at::detail::getCUDAHooks().compiledWithCuDNN()) {
    throw bug("something asked torch for CUDA before torch's CUDA libraries were loaded");
  }
}

}  // namespace scalemark::device
