// Connects operators over tensors with a device, and registers those of
// workloads/layers/layer_operators.h and engine/step/lamb_passes.h: they run on the current stream,
// without a wait, so that a CUDA graph may capture them.
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

// While one lives, the tensor's device is the current device.
class Runtime {
 public:
  // Kernels know no torch, so they are instantiated for CUDA's own types.
  using Half = __half;
  using BFloat16 = __nv_bfloat16;

  explicit Runtime(const at::Tensor& on) : guard_(on.device()) {}

  unsigned multiprocessors() const {
    return static_cast<unsigned>(at::cuda::getCurrentDeviceProperties()->multiProcessorCount);
  }
  cudaStream_t stream() const { return at::cuda::getCurrentCUDAStream(); }

  // Advances the device's default generator by `words`. While a graph is captured the generator
  // returns addresses, whose values are new at each replay.
  static RandomSource random(std::uint64_t words) {
    at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    const at::PhiloxCudaState state =
        at::check_generator<at::CUDAGeneratorImpl>(generator)->philox_cuda_state(words);
    if (!state.captured_) return {nullptr, nullptr, state.seed_.val, state.offset_.val};
    return {state.seed_.ptr, state.offset_.ptr, 0, state.offset_intragraph_};
  }

  // Tests call body(T{}) here for types that only they have. Returns whether `type` is one.
  template <class Body>
  static bool with_more_types(at::ScalarType, const Body&) {
    return false;
  }
  static void check(cudaError_t error) { C10_CUDA_CHECK(error); }

 private:
  c10::cuda::CUDAGuard guard_;
};

}  // namespace scalemark::cuda
