// Kernels over the rows of a matrix share this code: threads hold rows in registers, and sums run
// over all rows. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>

#include "engine/cuda/launches.h"

namespace scalemark::cuda {

// --- Rows of a matrix in registers: a thread takes groups of 8 neighbouring columns, 16 bytes of
// half precision at once, and computes in float (in double where the elements are double).

// One load or store instruction moves it.
template <class T>
struct alignas(16) Chunk {
  static constexpr int kCount = 16 / sizeof(T);
  T value[kCount];
};

// Whether groups are whole and lie on addresses that can be loaded 16 bytes at once.
inline bool has_whole_groups(std::int64_t columns, std::initializer_list<const void*> matrices) {
  for (const void* matrix : matrices) {
    if (reinterpret_cast<std::uintptr_t>(matrix) % 16 != 0) return false;
  }
  return columns % kGroup == 0;
}

// Whether element `i` of a group is within the row.
template <bool kWhole>
__device__ __forceinline__ bool is_inside(unsigned group, int i, unsigned columns) {
  return kWhole || kGroup * group + static_cast<unsigned>(i) < columns;
}

// Loads columns [8 group, 8 group + 8) of `row`; those behind its end are 0.
template <bool kWhole, class C, class T>
__device__ __forceinline__ void load_group(const T* row, unsigned group, unsigned columns,
                                           C (&to)[kGroup]) {
  if constexpr (kWhole) {
    const auto* chunks = reinterpret_cast<const Chunk<T>*>(row + kGroup * group);
#pragma unroll
    for (int part = 0; part < kGroup / Chunk<T>::kCount; ++part) {
      const Chunk<T> chunk = chunks[part];
#pragma unroll
      for (int i = 0; i < Chunk<T>::kCount; ++i)
        to[part * Chunk<T>::kCount + i] = static_cast<C>(chunk.value[i]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      to[i] = is_inside<false>(group, i, columns) ? static_cast<C>(row[kGroup * group + i]) : C{0};
    }
  }
}

template <bool kWhole, class C, class T>
__device__ __forceinline__ void store_group(T* row, unsigned group, unsigned columns,
                                            const C (&from)[kGroup]) {
  if constexpr (kWhole) {
    auto* chunks = reinterpret_cast<Chunk<T>*>(row + kGroup * group);
#pragma unroll
    for (int part = 0; part < kGroup / Chunk<T>::kCount; ++part) {
      Chunk<T> chunk;
#pragma unroll
      for (int i = 0; i < Chunk<T>::kCount; ++i)
        chunk.value[i] = static_cast<T>(from[part * Chunk<T>::kCount + i]);
      chunks[part] = chunk;
    }
  } else {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      if (is_inside<false>(group, i, columns)) row[kGroup * group + i] = static_cast<T>(from[i]);
    }
  }
}

// All lanes of the warp must call it, and all get the same bits.
template <class C>
__device__ __forceinline__ C sum_over_warp(C value) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

// --- Sums over the rows of a matrix, in two launches: a kernel writes one partial sum per block of
// rows, and a second one adds them up in a fixed order, so that a sum repeats bit by bit. Nothing
// is zeroed or counted in between.

constexpr unsigned kAddingWarps = 16;

// Computes sums[i] = the sum over `chunks` of partials[chunk][i], i < width.
template <class C>
__global__ void __launch_bounds__(kAddingWarps* kWarp)
    add_up_chunks(const C* __restrict__ partials, unsigned chunks, unsigned width,
                  C* __restrict__ sums) {
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
cudaError_t launch_add_up_chunks(const C* partials, unsigned chunks, std::int64_t width, C* sums,
                                 cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>((width + kWarp - 1) / kWarp);
  return launch(&add_up_chunks<C>, blocks, kAddingWarps * kWarp, stream, partials, chunks,
                static_cast<unsigned>(width), sums);
}

// Blocks on a multiprocessor at least; without this ptxas assumes more and spills.
constexpr unsigned kTileBlocksAtOnce = 2;

// Calls at(row, group) for this thread's part; the warps of all chunks take rows in turn.
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

// Adds up the warps' sums of this thread's columns in their order, to one partial sum per chunk.
template <class C>
__device__ __forceinline__ void store_tile_sums(const Tiles& tiles, const C (&sums)[kGroup],
                                                C* partials) {
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
