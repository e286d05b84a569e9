// A reduction as batch norm will need it: shared memory, barriers, and one pass in which the last
// block to finish adds up the blocks' parts, in their order and not in that of arrival, so that the
// sum repeats bit by bit. Here to prove the shim with it; nvcc compiles it as well
// (CMakeLists.txt).
#pragma once

#include <cuda_runtime.h>

namespace cuda_shim {

constexpr unsigned kSumThreads = 64;

// In float, `count` values to one. `parts` has room for gridDim.x; `done` is 0 before, and 0 again
// behind. With kInOrderOfArrival it is not repeatable: that is the wrong way, which the test must
// distinguish from the right one.
template <bool kInOrderOfArrival>
__global__ void sum(const float* values, int count, float* parts, unsigned* done, float* result) {
  __shared__ float part[kSumThreads];
  __shared__ bool last;
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    mine += values[i];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned width = kSumThreads / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (kInOrderOfArrival) {
    if (threadIdx.x == 0) atomicAdd(result, part[0]);
    return;
  }
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = part[0];
    __threadfence();  // the part is there before the count says so
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  float total = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) total += parts[block];
  *result = total;
}

}  // namespace cuda_shim
