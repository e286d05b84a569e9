// Sums over the rows of a matrix, in two launches: a kernel writes one partial sum per block of rows, and this one adds
// them up in their order, so that a sum repeats bit by bit. Nothing is filled and nothing counted in between.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "engine/cuda/launch.cuh"
#include "engine/cuda/launches.h"
#include "engine/cuda/row_groups.cuh"

namespace scalemark::cuda {

constexpr unsigned kAddingWarps = 16;

// sums[i] = the sum over `chunks` of partials[chunk][i], i < width.
template <class C>
__global__ void __launch_bounds__(kAddingWarps* kWarp)
    add_up_chunks(const C* __restrict__ partials, unsigned chunks, unsigned width, C* __restrict__ sums) {
  __shared__ C parts[kAddingWarps][kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned column = blockIdx.x * kWarp + lane;
  C total = 0;
  if (column < width) {
#pragma unroll 4
    for (unsigned chunk = warp; chunk < chunks; chunk += kAddingWarps) {
      total += partials[static_cast<std::int64_t>(chunk) * width + column];
    }
  }
  parts[warp][lane] = total;
  __syncthreads();
  if (warp != 0 || column >= width) return;
  C sum = 0;
#pragma unroll
  for (unsigned i = 0; i < kAddingWarps; ++i) sum += parts[i][lane];
  sums[column] = sum;
}

template <class C>
cudaError_t launch_add_up_chunks(const C* partials, unsigned chunks, std::int64_t width, C* sums, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>((width + kWarp - 1) / kWarp);
  return launch(&add_up_chunks<C>, blocks, kAddingWarps * kWarp, stream, partials, chunks, static_cast<unsigned>(width),
                sums);
}

constexpr unsigned kTileBlocksAtOnce = 2;  // on a multiprocessor at least: ptxas guesses more and spills

// Calls at(row, group) for what is this thread's; warps of all chunks take rows in turn.
template <class Body>
__device__ __forceinline__ void for_rows_of_tile(const Tiles& tiles, const Body& at) {
  const unsigned group = blockIdx.x % tiles.across * kWarp + threadIdx.x % kWarp;
  if (kGroup * group >= tiles.columns) return;
  const std::int64_t stride = static_cast<std::int64_t>(tiles.chunks) * kTileWarps;
  const std::int64_t first = blockIdx.x / tiles.across * kTileWarps + threadIdx.x / kWarp;
  for (std::int64_t row = first; row < tiles.rows; row += stride) {
    at(row, group);
  }
}

// Adds the warps' sums of this thread's columns in their order: one partial sum per chunk.
template <class C>
__device__ __forceinline__ void store_tile_sums(const Tiles& tiles, const C (&sums)[kGroup], C* partials) {
  __shared__ C parts[kTileWarps][kTileColumns];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
#pragma unroll
  for (int i = 0; i < kGroup; ++i) parts[warp][kGroup * lane + i] = sums[i];
  __syncthreads();
  const unsigned column = blockIdx.x % tiles.across * kTileColumns + threadIdx.x;
  if (column >= tiles.columns) return;
  C sum = 0;
#pragma unroll
  for (unsigned i = 0; i < kTileWarps; ++i) sum += parts[i][threadIdx.x];
  partials[static_cast<std::int64_t>(blockIdx.x / tiles.across) * tiles.columns + column] = sum;
}

}  // namespace scalemark::cuda
