// The kernel behind scalemark::normalise_images and its launch. Knows no torch: its test compiles
// it as C++ too.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "engine/cuda/launches.h"
#include "workloads/layers/pixel_table.h"

namespace scalemark::cuda {

// It is a multiple of 3, so that a thread stays with one channel in strides of a grid, and
// neighbouring threads touch neighbouring bytes and values. 5 blocks of 384 fill the 2,048 threads
// of a multiprocessor best.
constexpr unsigned kNormaliseThreads = 384;
constexpr unsigned kNormaliseBlocksPerMultiprocessor = 5;

// Computes out[i], the table's value for byte i of channel i % 3. A launch's arguments lie in
// constant memory, which serves one address at a time; hence the gathers read a copy in shared
// memory.
template <class Out>
__global__ void normalise(const std::uint8_t* __restrict__ bytes, Out* __restrict__ out,
                          std::int64_t count,
                          const __grid_constant__ workloads::PixelTable<Out> table) {
  __shared__ Out value[256][3];
  for (unsigned i = threadIdx.x; i < 256 * 3; i += blockDim.x)
    value[i / 3][i % 3] = table.value[i / 3][i % 3];
  __syncthreads();
  const unsigned channel = threadIdx.x % 3;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    out[i] = value[bytes[i]][channel];
  }
}

template <class Out>
cudaError_t launch_normalise(const std::uint8_t* bytes, Out* out, std::int64_t count,
                             const workloads::PixelTable<Out>& table, unsigned multiprocessors,
                             cudaStream_t stream) {
  const unsigned blocks =
      blocks_for(count, kNormaliseThreads, kNormaliseBlocksPerMultiprocessor * multiprocessors);
  return launch(&normalise<Out>, blocks, kNormaliseThreads, stream, bytes, out, count, table);
}

}  // namespace scalemark::cuda
