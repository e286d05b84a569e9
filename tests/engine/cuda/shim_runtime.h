// The kernels of transformers and of LAMB, compiled as C++ (tests/cuda_shim), behind their
// operators for tensors of a CPU: networks, autograd nodes and the optimizer then take the way that
// they take on a GPU.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>

#include "engine/cuda/layer_passes.h"
#include "engine/cuda/linear_layers.cuh"
#include "engine/cuda/residual_norm.cuh"

namespace scalemark::cuda {

// Takes the place of engine/cuda/operators.h.
class ShimRuntime {
 public:
  using Half = c10::Half;
  using BFloat16 = c10::BFloat16;

  explicit ShimRuntime(const at::Tensor&) {}

  unsigned multiprocessors() const { return 2; }
  cudaStream_t stream() const { return nullptr; }

  // The offset moves on with each mask, like that of torch's generator.
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
