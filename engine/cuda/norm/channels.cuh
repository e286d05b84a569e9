// How threads share activations [rows, channels] in NHWC order, and how they add up two sums per
// channel over all rows in one launch. Knows no torch: tests compile it as C++ too.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "engine/cuda/norm/launches.h"

namespace scalemark::cuda {

// The part of the activations that one thread handles: as many neighbouring channels as fill 16
// bytes, over many rows. Eight threads side by side read 128 bytes, a whole line of the cache.
template <class Element>
struct Place {
  int channel;               // the first one
  int count;                 // channels from `channel` to the last of all; 0 or less: none
  std::int64_t row, stride;  // the first row, and the distance between two rows
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

// Calls body(number of rows, first row) over a thread's rows, kDepth of them at once while so many
// are left, so that their loads are under way at the same time.
template <int kDepth, class Element, class Body>
__device__ __forceinline__ void over_rows(const Place<Element>& place, const ChannelGrid& grid,
                                          const Body& body) {
  std::int64_t row = place.row;
  for (; row + (kDepth - 1) * place.stride < grid.rows; row += kDepth * place.stride)
    body(AtOnce<kDepth>{}, row);
  for (; row < grid.rows; row += place.stride) body(AtOnce<1>{}, row);
}

// Loads a thread's channels of one row. kWhole: channels fill vectors and lie at multiples of 16
// bytes. Else the `count` existing channels are loaded one by one; the others are 0.
template <bool kWhole, class Element>
__device__ __forceinline__ Vector<Element> load(const Element* from, int count) {
  if constexpr (kWhole) {
    return *reinterpret_cast<const Vector<Element>*>(from);
  } else {
    Vector<Element> result;
#pragma unroll
    for (int i = 0; i < kVector<Element>; ++i)
      result.value[i] = i < count ? from[i] : static_cast<Element>(0.0f);
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

// Loads a thread's channels from a row with one number per channel; `otherwise` stands for those
// beyond the last.
template <class Real, int kCount>
__device__ __forceinline__ void load_numbers(Real (&to)[kCount], const Real* from, int count,
                                             Real otherwise = 0) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) to[i] = i < count ? from[i] : otherwise;
}

// --- Two sums per channel over all rows, in one launch: each block writes its own sums, and the
// last block of a tile to finish adds up all of them. It adds in the order of blocks and not of
// arrival, so that sums repeat bit by bit.

// The shared memory of one block.
template <class Element>
struct SumsRoom {
  using Real = RealOf<Element>;
  static constexpr int kSums = kSumsOfTile<Element>;
  static constexpr int kAtOnce =
      static_cast<int>(16 / sizeof(Real));  // sums that a thread reads at once
  static constexpr int kSlices =
      kNormThreads / (kSums / kAtOnce);  // blocks are read in so many parts at once
  Real of_threads[2 * kVector<Element>]
                 [kNormThreads + kLanes];  // rows apart by kLanes more: no bank conflicts
  Real of_slices[kSlices][kSums];
  bool is_last;

  // The last block calls it. The first sum of channel i of the lane has the number i * kLanes +
  // lane; its second sum comes kTile later.
  __device__ double total(int number) const {
    double sum = 0;
    for (int slice = 0; slice < kSlices; ++slice)
      sum += static_cast<double>(of_slices[slice][number]);
    return sum;
  }
};

// Writes the sums of this block. `mine` holds each thread's: all first sums, then all second sums.
template <class Element>
__device__ __forceinline__ void add_up_block(const RealOf<Element> (&mine)[2 * kVector<Element>],
                                             SumsRoom<Element>& room, RealOf<Element>* of_block) {
  const auto thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 2 * kVector<Element>; ++i) room.of_threads[i][thread] = mine[i];
  __syncthreads();
  if (thread >= kSumsOfTile<Element>) return;
  RealOf<Element> sum = 0;
#pragma unroll 8
  for (int row = 0; row < kRowsAtOnce; ++row) {
    sum += room.of_threads[thread / kLanes][row * kLanes + thread % kLanes];
  }
  of_block[thread] = sum;
}

// Each slice adds up every `kSlices`-th block, in the order of blocks.
template <class Element>
__device__ __forceinline__ void add_up_slices(SumsRoom<Element>& room,
                                              const RealOf<Element>* of_blocks,
                                              const ChannelGrid& grid, unsigned tile) {
  using Room = SumsRoom<Element>;
  using Real = RealOf<Element>;
  constexpr unsigned kGroups = Room::kSums / Room::kAtOnce;
  const unsigned first = threadIdx.x % kGroups * Room::kAtOnce, slice = threadIdx.x / kGroups;
  Real sums[Room::kAtOnce] = {};
#pragma unroll 4
  for (unsigned chunk = slice; chunk < grid.chunks; chunk += Room::kSlices) {
    const std::int64_t block = std::int64_t{chunk} * grid.tiles + tile;
    const auto part = load<true>(of_blocks + block * Room::kSums + first, Room::kAtOnce);
#pragma unroll
    for (int i = 0; i < Room::kAtOnce; ++i) sums[i] += part.value[i];
  }
#pragma unroll
  for (int i = 0; i < Room::kAtOnce; ++i)
    room.of_slices[slice][first + static_cast<unsigned>(i)] = sums[i];
}

// All threads of all blocks call it. Returns true in the last block of a tile, where room.total()
// then has the sums over all blocks.
template <class Element>
__device__ __forceinline__ bool add_up(const RealOf<Element> (&mine)[2 * kVector<Element>],
                                       SumsRoom<Element>& room,
                                       const SumsInMemory<RealOf<Element>>& memory,
                                       const ChannelGrid& grid, unsigned tile) {
  add_up_block<Element>(mine, room,
                        memory.of_blocks + std::int64_t{blockIdx.x} * kSumsOfTile<Element>);
  __threadfence();  // the sums must be visible before the count includes this block
  __syncthreads();
  if (threadIdx.x == 0)
    room.is_last = atomicInc(memory.done + tile, grid.chunks - 1) == grid.chunks - 1;
  __syncthreads();
  if (!room.is_last) return false;
  __threadfence();
  add_up_slices<Element>(room, memory.of_blocks, grid, tile);
  __syncthreads();
  return true;
}

}  // namespace scalemark::cuda
