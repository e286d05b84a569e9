// Two sums per channel over all rows, in one launch: each block writes its own, and the last block of a tile to finish
// adds up those of all, in their order and not in that of arrival, so that sums repeat bit by bit. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include "engine/cuda/norm/channels.cuh"
#include "engine/cuda/norm/launches.h"

namespace scalemark::cuda {

// Shared memory of one block.
template <class Element>
struct SumsRoom {
  using Real = RealOf<Element>;
  static constexpr int kSums = kSumsOfTile<Element>;
  static constexpr int kAtOnce = static_cast<int>(16 / sizeof(Real));      // sums that a thread reads at once
  static constexpr int kSlices = kNormThreads / (kSums / kAtOnce);         // of the blocks, read side by side
  Real of_threads[2 * kVector<Element>][kNormThreads + kLanes];            // rows apart by kLanes more: no bank conflicts
  Real of_slices[kSlices][kSums];
  bool is_last;

  // Of the lane's channel i the first sum is number i * kLanes + lane, the second kTile further on. For the last block.
  __device__ double total(int number) const {
    double sum = 0;
    for (int slice = 0; slice < kSlices; ++slice) sum += static_cast<double>(of_slices[slice][number]);
    return sum;
  }
};

// Writes the sums of this block; each thread's come in `mine`, first sums first.
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

// Of every `kSlices`-th block, in the order of blocks.
template <class Element>
__device__ __forceinline__ void add_up_slices(SumsRoom<Element>& room, const RealOf<Element>* of_blocks,
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
  for (int i = 0; i < Room::kAtOnce; ++i) room.of_slices[slice][first + static_cast<unsigned>(i)] = sums[i];
}

// Called by all threads of all blocks. True in the last block of a tile: then room.total() has the sums of all.
template <class Element>
__device__ __forceinline__ bool add_up(const RealOf<Element> (&mine)[2 * kVector<Element>], SumsRoom<Element>& room,
                                       const SumsInMemory<RealOf<Element>>& memory, const ChannelGrid& grid,
                                       unsigned tile) {
  add_up_block<Element>(mine, room, memory.of_blocks + std::int64_t{blockIdx.x} * kSumsOfTile<Element>);
  __threadfence();  // the sums are there before the count says so
  __syncthreads();
  if (threadIdx.x == 0) room.is_last = atomicInc(memory.done + tile, grid.chunks - 1) == grid.chunks - 1;
  __syncthreads();
  if (!room.is_last) return false;
  __threadfence();
  add_up_slices<Element>(room, memory.of_blocks, grid, tile);
  __syncthreads();
  return true;
}

}  // namespace scalemark::cuda
