#include "engine/device/torch_cuda.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include "core/base/error.h"
#include "core/base/part.h"

namespace scalemark::device {

void load_torch_cuda(const std::string& torch_folder) {
  for (const char* name : {"libc10_cuda.so", "libtorch_cuda.so"}) {
    open_library(torch_folder + "/lib/" + name, "torch's CUDA libraries",
                 "install torch==2.11.0 with its CUDA libraries, or use --device cpu");
  }
  // Any query that the hooks answer without a driver; the default hooks without CUDA return false.
  if (!at::detail::getCUDAHooks().compiledWithCuDNN()) {
    throw bug("something asked torch for CUDA before torch's CUDA libraries were loaded");
  }
}

}  // namespace scalemark::device
