// The operators of workloads/layer_operators.h on CUDA: on the current stream, without a wait, and such that a CUDA
// graph may capture them. Kernels and launches stand in the .cuh files, the code around them in layer_passes.h.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <mutex>

#include "engine/cuda/layer_passes.h"

namespace scalemark::cuda {
namespace {

// While a graph is captured the generator answers with addresses, which each replay finds filled anew.
RandomSource source_of(const at::PhiloxCudaState& state) {
  if (!state.captured_) return {nullptr, nullptr, state.seed_.val, state.offset_.val};
  return {state.seed_.ptr, state.offset_.ptr, 0, state.offset_intragraph_};
}

class Runtime {
 public:
  explicit Runtime(const at::Tensor& on) : guard_(on.device()) {}

  unsigned multiprocessors() const {
    return static_cast<unsigned>(at::cuda::getCurrentDeviceProperties()->multiProcessorCount);
  }
  cudaStream_t stream() const { return at::cuda::getCurrentCUDAStream(); }

  static RandomSource random(std::uint64_t words) {
    at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    return source_of(at::check_generator<at::CUDAGeneratorImpl>(generator)->philox_cuda_state(words));
  }

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
  scalemark::cuda::register_layer_passes<scalemark::cuda::Runtime>(library);
}
