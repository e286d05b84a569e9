// How threads share activations [rows, channels] in NHWC order: a thread keeps as many neighbouring channels as 16
// bytes hold and walks over rows; eight threads side by side read 128 bytes, a whole line of the cache. Knows no torch:
// tests compile it as C++ too.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "engine/cuda/norm/launches.h"

namespace scalemark::cuda {

// What one thread works on.
template <class Element>
struct Place {
  int channel;               // its first one
  int count;                 // of channels from there on; 0 or less: none
  std::int64_t row, stride;  // its first row, and how far apart its rows are
  unsigned tile;

  __device__ explicit Place(const ChannelGrid& grid) {
    const auto thread = static_cast<int>(threadIdx.x);
    const unsigned chunk = blockIdx.x / grid.tiles;
    tile = blockIdx.x % grid.tiles;
    channel = static_cast<int>(tile) * kTile<Element> + thread % kLanes * kVector<Element>;
    count = grid.channels - channel;
    row = count > 0 ? std::int64_t{chunk} * kRowsAtOnce + thread / kLanes : grid.rows;
    stride = std::int64_t{grid.chunks} * kRowsAtOnce;
  }

  __device__ std::int64_t at(std::int64_t of_row, const ChannelGrid& grid) const {
    return of_row * grid.channels + channel;
  }
};

template <int kCount>
struct AtOnce {
  static constexpr int kRows = kCount;
};

// body(number of rows, first of them) over a thread's rows, kDepth of them at once as long as there are so many: what
// those load is under way at the same time.
template <int kDepth, class Element, class Body>
__device__ __forceinline__ void over_rows(const Place<Element>& place, const ChannelGrid& grid, const Body& body) {
  std::int64_t row = place.row;
  for (; row + (kDepth - 1) * place.stride < grid.rows; row += kDepth * place.stride) body(AtOnce<kDepth>{}, row);
  for (; row < grid.rows; row += place.stride) body(AtOnce<1>{}, row);
}

// A thread's channels of one row. kWhole: channels fill vectors and lie at multiples of 16 bytes; else the `count` that
// there are, one by one, and 0 for the others.
template <bool kWhole, class Element>
__device__ __forceinline__ Vector<Element> load(const Element* from, int count) {
  if constexpr (kWhole) {
    return *reinterpret_cast<const Vector<Element>*>(from);
  } else {
    Vector<Element> result;
#pragma unroll
    for (int i = 0; i < kVector<Element>; ++i) result.value[i] = i < count ? from[i] : static_cast<Element>(0.0f);
    return result;
  }
}

template <bool kWhole, class Element>
__device__ __forceinline__ void store(const Vector<Element>& vector, Element* to, int count) {
  if constexpr (kWhole) {
    *reinterpret_cast<Vector<Element>*>(to) = vector;
  } else {
#pragma unroll
    for (int i = 0; i < kVector<Element>; ++i) {
      if (i < count) to[i] = vector.value[i];
    }
  }
}

// A thread's numbers of a row of numbers per channel; `otherwise` beyond the last.
template <class Real, int kCount>
__device__ __forceinline__ void load_numbers(Real (&to)[kCount], const Real* from, int count, Real otherwise = 0) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) to[i] = i < count ? from[i] : otherwise;
}

}  // namespace scalemark::cuda
