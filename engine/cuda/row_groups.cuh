// Rows of a matrix in registers: a thread takes groups of 8 neighbouring columns, 16 bytes of half precision at once,
// and computes in float (in double where the elements are double). What kernels over rows share; knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>

#include "engine/cuda/launches.h"

namespace scalemark::cuda {

// What one load or store instruction moves.
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

// Columns [8 group, 8 group + 8) of `row`; 0 for those behind its end.
template <bool kWhole, class C, class T>
__device__ __forceinline__ void load_group(const T* row, unsigned group, unsigned columns, C (&to)[kGroup]) {
  if constexpr (kWhole) {
    const auto* chunks = reinterpret_cast<const Chunk<T>*>(row + kGroup * group);
#pragma unroll
    for (int part = 0; part < kGroup / Chunk<T>::kCount; ++part) {
      const Chunk<T> chunk = chunks[part];
#pragma unroll
      for (int i = 0; i < Chunk<T>::kCount; ++i) to[part * Chunk<T>::kCount + i] = static_cast<C>(chunk.value[i]);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      to[i] = is_inside<false>(group, i, columns) ? static_cast<C>(row[kGroup * group + i]) : C{0};
    }
  }
}

template <bool kWhole, class C, class T>
__device__ __forceinline__ void store_group(T* row, unsigned group, unsigned columns, const C (&from)[kGroup]) {
  if constexpr (kWhole) {
    auto* chunks = reinterpret_cast<Chunk<T>*>(row + kGroup * group);
#pragma unroll
    for (int part = 0; part < kGroup / Chunk<T>::kCount; ++part) {
      Chunk<T> chunk;
#pragma unroll
      for (int i = 0; i < Chunk<T>::kCount; ++i) chunk.value[i] = static_cast<T>(from[part * Chunk<T>::kCount + i]);
      chunks[part] = chunk;
    }
  } else {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      if (is_inside<false>(group, i, columns)) row[kGroup * group + i] = static_cast<T>(from[i]);
    }
  }
}

// The same bits in all lanes of the warp, which all must call it.
template <class C>
__device__ __forceinline__ C sum_over_warp(C value) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

}  // namespace scalemark::cuda
