// How every kernel of ours is launched: a plain function call, so that a host compiler understands it as well (the
// kernels' tests compile them as C++, tests/cuda_shim).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace scalemark::cuda {

// For kernels that walk over `count` items in grid-sized strides: enough blocks, and no more than `most`. 0 for 0
// items.
inline unsigned blocks_for(std::int64_t count, unsigned threads, unsigned most) {
  const std::int64_t wanted = (count + threads - 1) / threads;
  return static_cast<unsigned>(std::min<std::int64_t>(wanted, most));
}

// 0 blocks launch nothing: to CUDA an empty grid is an invalid configuration.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream,
                   Arguments&&... arguments) {
  if (blocks == 0) return cudaSuccess;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace scalemark::cuda
