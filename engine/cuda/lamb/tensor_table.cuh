// Many tensors in one launch: their pointers and sizes are arguments of the kernel, and each block takes a chunk of one
// of them. Also what the blocks share to read, write and add up such a chunk. Knows no torch and no update rule.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace scalemark::cuda {

// A launch takes 32,764 bytes of arguments, and its cost grows with them.
constexpr unsigned kTensorsOfALaunch = 256;
constexpr unsigned kChunkThreads = 256;
constexpr unsigned kChunkElements = 16384;  // of which a thread adds up 64 in float
constexpr unsigned kAtOnce = 4;             // elements of a thread that lie beside each other

inline std::int64_t chunks_of(std::int64_t elements) { return (elements + kChunkElements - 1) / kChunkElements; }

// Chunks of all tensors are counted through: tensor i has those from first[i] to before first[i + 1].
struct ChunkTable {
  unsigned first[kTensorsOfALaunch + 1];
  unsigned tensors;

  unsigned chunks() const { return first[tensors]; }

  void add(std::int64_t elements) {
    first[tensors + 1] = first[tensors] + static_cast<unsigned>(chunks_of(elements));
    ++tensors;
  }

  __device__ __forceinline__ unsigned tensor_of(unsigned chunk) const {
    unsigned low = 0, high = tensors;  // first[low] <= chunk < first[high]
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      if (first[middle] <= chunk) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

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
