// How the blocks of a launch read, write and add up the chunks of many tensors. Knows no torch and no update rule.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "engine/cuda/lamb/launches.h"

namespace scalemark::cuda {

constexpr unsigned kChunkThreads = 256;
constexpr unsigned kAtOnce = 4;  // elements of a thread that lie beside each other

// The tensor whose chunk this is.
__device__ __forceinline__ unsigned tensor_of(const ChunkTable& table, unsigned chunk) {
  unsigned low = 0, high = table.tensors;  // first[low] <= chunk < first[high]
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    if (table.first[middle] <= chunk) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class T>
struct alignas(kAtOnce * sizeof(T)) Four {
  T value[kAtOnce];
};

// Whether all of these can be read and written by fours; null can. Blocks begin at multiples of four.
template <class T>
__device__ __forceinline__ bool lie_by_fours(std::initializer_list<const T*> all) {
  std::uintptr_t bits = 0;
  for (const T* pointer : all) bits |= reinterpret_cast<std::uintptr_t>(pointer);
  return bits % sizeof(Four<T>) == 0;
}

// Elements at, at + 1, ... of arrays of `count`; 0 for those behind the end. `by_four`: all lie there, as a four. One
// branch for all arrays, so that their loads are under way at once.
template <class T, unsigned kArrays>
__device__ __forceinline__ void load_fours(const T* const (&arrays)[kArrays], unsigned at, unsigned count, bool by_four,
                                           Four<T> (&to)[kArrays]) {
  if (by_four) {
#pragma unroll
    for (unsigned a = 0; a < kArrays; ++a) to[a] = *reinterpret_cast<const Four<T>*>(arrays[a] + at);
    return;
  }
#pragma unroll
  for (unsigned a = 0; a < kArrays; ++a) {
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) to[a].value[k] = at + k < count ? arrays[a][at + k] : T(0);
  }
}

template <class T>
__device__ __forceinline__ void store_four(const Four<T>& four, T* array, unsigned at, unsigned count, bool by_four) {
  if (by_four) {
    *reinterpret_cast<Four<T>*>(array + at) = four;
    return;
  }
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    if (at + k < count) array[at + k] = four.value[k];
  }
}

// Two sums over all threads of the block, always in the same order: thread 0 then has them in first[0] and second[0].
// Each thread has written its own values before.
template <class C>
__device__ __forceinline__ void add_up_threads(C (&first)[kChunkThreads], C (&second)[kChunkThreads]) {
  for (unsigned width = kChunkThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x >= width) continue;
    first[threadIdx.x] += first[threadIdx.x + width];
    second[threadIdx.x] += second[threadIdx.x + width];
  }
}

}  // namespace scalemark::cuda
