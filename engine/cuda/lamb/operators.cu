// The operators of engine/training/lamb_operators.h on CUDA: on the current stream, without a wait, and such that a
// CUDA graph may capture them.
#include "engine/cuda/lamb/operators.cuh"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

namespace scalemark::cuda {
namespace {

class LambRuntime {
 public:
  explicit LambRuntime(const at::Tensor& on) : guard_(on.device()) {}

  cudaStream_t stream() const { return at::cuda::getCurrentCUDAStream(); }

  template <class Body>
  static bool with_more_types(at::ScalarType, const Body&) {
    return false;
  }
  static void check(cudaError_t error) { C10_CUDA_CHECK(error); }

 private:
  c10::cuda::CUDAGuard guard_;
};

}  // namespace
}  // namespace scalemark::cuda

TORCH_LIBRARY_IMPL(scalemark, CUDA, library) {
  scalemark::cuda::register_lamb_operators<scalemark::cuda::LambRuntime>(library);
}
