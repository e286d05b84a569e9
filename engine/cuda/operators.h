// Gives operators over tensors what they need of a device, and puts those of
// workloads/layers/layer_operators.h and of engine/step/lamb_passes.h into their schemas: on the
// current stream, without a wait, and such that a CUDA graph may capture them.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <mutex>

#include "engine/cuda/launches.h"

namespace scalemark::cuda {

// While one lives, the tensor's device is the current one.
class Runtime {
 public:
  // The types for which kernels are instantiated: they know no torch.
  using Half = __half;
  using BFloat16 = __nv_bfloat16;

  explicit Runtime(const at::Tensor& on) : guard_(on.device()) {}

  unsigned multiprocessors() const {
    return static_cast<unsigned>(at::cuda::getCurrentDeviceProperties()->multiProcessorCount);
  }
  cudaStream_t stream() const { return at::cuda::getCurrentCUDAStream(); }

  // Moves the device's default generator on by `words`. While a graph is captured the generator
  // answers with addresses, which each replay finds filled anew.
  static RandomSource random(std::uint64_t words) {
    at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    const at::PhiloxCudaState state =
        at::check_generator<at::CUDAGeneratorImpl>(generator)->philox_cuda_state(words);
    if (!state.captured_) return {nullptr, nullptr, state.seed_.val, state.offset_.val};
    return {state.seed_.ptr, state.offset_.ptr, 0, state.offset_intragraph_};
  }

  // Calls body(T{}) for a type that only tests have. Whether `type` is one.
  template <class Body>
  static bool with_more_types(at::ScalarType, const Body&) {
    return false;
  }
  static void check(cudaError_t error) { C10_CUDA_CHECK(error); }

 private:
  c10::cuda::CUDAGuard guard_;
};

}  // namespace scalemark::cuda
