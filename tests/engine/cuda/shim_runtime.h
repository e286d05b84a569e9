// Puts the CUDA kernels of transformers, compiled as C++ (tests/cuda_shim), behind the operators of
// workloads/layer_operators.h for tensors of a CPU: the networks and autograd nodes then take the
// way that they take on a GPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "engine/cuda/layer_passes.h"

namespace scalemark::cuda {

class ShimRuntime {
 public:
  explicit ShimRuntime(const at::Tensor&) {}

  unsigned multiprocessors() const { return 2; }
  cudaStream_t stream() const { return nullptr; }

  // As torch's generator: the offset moves on with each mask.
  static RandomSource random(std::uint64_t words) {
    const RandomSource source{nullptr, nullptr, seed, offset};
    offset += words;
    return source;
  }

  template <class Body>
  static bool with_more_types(at::ScalarType type, const Body& body) {
    if (type != at::kDouble) return false;
    body(double{});
    return true;
  }

  static void check(cudaError_t error) {
    TORCH_CHECK(error == cudaSuccess, "launch error ", error);
  }

  static inline std::uint64_t seed = 1, offset = 0;
};

using ShimPasses = LayerPasses<ShimRuntime>;

}  // namespace scalemark::cuda
