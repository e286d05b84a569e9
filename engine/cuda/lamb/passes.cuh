// LAMB (arXiv:1904.00962, algorithm 2, with bias correction) in two passes over many tensors each:
// the first updates the moments and computes norms, the second updates the parameters. In between,
// ranks that hold pieces of tensors may combine the norms of the pieces. The formulas are those of
// kernels/optimizer_kernels.inc. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "engine/cuda/lamb/launches.h"
#include "engine/cuda/launches.h"

namespace scalemark::cuda {

// --- How the blocks of a launch read, write and add up the chunks of many tensors. This part knows
// no update rule.

constexpr unsigned kChunkThreads = 256;
constexpr unsigned kAtOnce = 4;  // neighbouring elements that a thread handles at once

// Returns the tensor that the chunk belongs to.
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

// Whether all of these arrays can be read and written by fours; a null pointer can. Blocks begin at
// multiples of four.
template <class T>
__device__ __forceinline__ bool lie_by_fours(std::initializer_list<const T*> all) {
  std::uintptr_t bits = 0;
  for (const T* pointer : all) bits |= reinterpret_cast<std::uintptr_t>(pointer);
  return bits % sizeof(Four<T>) == 0;
}

// Loads elements at, at + 1, ... of arrays of `count` elements; those behind the end are 0.
// `by_four`: all four exist and lie aligned. One branch serves all arrays, so that their loads are
// under way at once.
template <class T, unsigned kArrays>
__device__ __forceinline__ void load_fours(const T* const (&arrays)[kArrays], unsigned at,
                                           unsigned count, bool by_four, Four<T> (&to)[kArrays]) {
  if (by_four) {
#pragma unroll
    for (unsigned a = 0; a < kArrays; ++a)
      to[a] = *reinterpret_cast<const Four<T>*>(arrays[a] + at);
    return;
  }
#pragma unroll
  for (unsigned a = 0; a < kArrays; ++a) {
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k)
      to[a].value[k] = at + k < count ? arrays[a][at + k] : T(0);
  }
}

template <class T>
__device__ __forceinline__ void store_four(const Four<T>& four, T* array, unsigned at,
                                           unsigned count, bool by_four) {
  if (by_four) {
    *reinterpret_cast<Four<T>*>(array + at) = four;
    return;
  }
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    if (at + k < count) array[at + k] = four.value[k];
  }
}

// Two sums over all threads of the block, always in the same order: thread 0 then has them in
// first[0] and second[0]. Each thread has written its own values before.
template <class C>
__device__ __forceinline__ void add_up_threads(C (&first)[kChunkThreads],
                                               C (&second)[kChunkThreads]) {
  for (unsigned width = kChunkThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x >= width) continue;
    first[threadIdx.x] += first[threadIdx.x + width];
    second[threadIdx.x] += second[threadIdx.x + width];
  }
}

// --- The passes.

// One thread does this once per step: a power in double takes a GPU longer than a block needs for
// its first loads.
template <class Step>
__global__ void lamb_numbers(const __grid_constant__ Step step, LambNumbers* numbers) {
  const double t = step.steps.value();
  numbers->counts = step.found_inf.value() == 0 ? 1 : 0;
  numbers->per_divisor = 1 / step.divisor.value();
  numbers->per_correction1 = 1 / (1 - std::pow(step.beta1, t));
  numbers->per_correction2 = 1 / std::sqrt(1 - std::pow(step.beta2, t));
  numbers->rate = step.rate.value();
}

template <class Step>
cudaError_t launch_lamb_numbers(const Step& step, LambNumbers* numbers, cudaStream_t stream) {
  return launch(&lamb_numbers<Step>, 1, 1, stream, step, numbers);
}

// The chunk of a block; `at` points to its beginning in each array.
template <class C>
struct LambChunk {
  unsigned tensor;  // it indexes LambTable::tensor
  std::int64_t begin;
  unsigned count;
  LambTensor<C> at;
  bool by_fours;  // holds for all fours but a last, shorter one

  __device__ __forceinline__ explicit LambChunk(const LambTable<C>& table)
      : tensor(tensor_of(table.chunks, blockIdx.x)), at(table.tensor[tensor]) {
    begin = static_cast<std::int64_t>(blockIdx.x - table.chunks.first[tensor]) * kChunkElements;
    const std::int64_t left = at.size - begin;
    count = left < kChunkElements ? static_cast<unsigned>(left) : kChunkElements;
    at.parameter += begin;
    at.mean += begin;
    at.mean_square += begin;
    if (at.gradient) at.gradient += begin;
    by_fours = lie_by_fours<C>({at.gradient, at.parameter, at.mean, at.mean_square});
  }
};

// Computes m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay x.
template <class C>
struct LambDirection {
  C per_correction1, per_correction2, eps, weight_decay;

  __device__ __forceinline__ LambDirection(const LambNumbers& numbers, const LambRule<C>& rule)
      : per_correction1(static_cast<C>(numbers.per_correction1)),
        per_correction2(static_cast<C>(numbers.per_correction2)),
        eps(rule.eps),
        weight_decay(rule.weight_decay) {}

  __device__ __forceinline__ C of(C parameter, C mean, C mean_square) const {
    return mean * per_correction1 / (std::sqrt(mean_square) * per_correction2 + eps) +
           weight_decay * parameter;
  }
};

// Updates mean and mean_square; squares[block] gets the sums of squares of x and of its direction.
template <class C>
__global__ void __launch_bounds__(kChunkThreads)
    lamb_moments(const __grid_constant__ LambTable<C> table,
                 const __grid_constant__ LambRule<C> rule, const LambNumbers* numbers,
                 LambSquares<C>* squares) {
  __shared__ C of_parameter[kChunkThreads], of_direction[kChunkThreads];
  C sum_of_parameter = 0, sum_of_direction = 0;
  if (numbers->counts != 0) {
    const LambChunk<C> chunk(table);
    const LambDirection<C> direction(*numbers, rule);
    const C per_divisor = static_cast<C>(numbers->per_divisor);
    for (unsigned i = kAtOnce * threadIdx.x; i < chunk.count; i += kAtOnce * kChunkThreads) {
      const bool by_four = chunk.by_fours && i + kAtOnce <= chunk.count;
      Four<C> loaded[4];
      load_fours<C>({chunk.at.gradient, chunk.at.parameter, chunk.at.mean, chunk.at.mean_square}, i,
                    chunk.count, by_four, loaded);
      const Four<C>&gradient = loaded[0], &parameter = loaded[1];
      Four<C>&mean = loaded[2], &mean_square = loaded[3];
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) {
        const C g = gradient.value[k] * per_divisor, x = parameter.value[k];
        const C m = mean.value[k] = mean.value[k] * rule.beta1 + g * rule.rest1;
        const C v = mean_square.value[k] = mean_square.value[k] * rule.beta2 + g * g * rule.rest2;
        const C u = direction.of(x, m, v);
        sum_of_parameter += x * x;
        if (i + k < chunk.count)
          sum_of_direction += u * u;  // it is 0 / 0 behind the end if eps is 0
      }
      store_four(mean, chunk.at.mean, i, chunk.count, by_four);
      store_four(mean_square, chunk.at.mean_square, i, chunk.count, by_four);
    }
  }
  of_parameter[threadIdx.x] = sum_of_parameter;
  of_direction[threadIdx.x] = sum_of_direction;
  add_up_threads(of_parameter, of_direction);
  if (threadIdx.x == 0) squares[blockIdx.x] = {of_parameter[0], of_direction[0]};
}

// One block per tensor computes the 2-norms of its parameter and its direction. Chunks are added in
// double, in a fixed order.
template <class C>
__global__ void __launch_bounds__(kChunkThreads)
    lamb_norms(const __grid_constant__ ChunkTable chunks, const LambSquares<C>* squares,
               double* of_parameters, double* of_directions) {
  __shared__ double of_parameter[kChunkThreads], of_direction[kChunkThreads];
  double sum_of_parameter = 0, sum_of_direction = 0;
  for (unsigned i = chunks.first[blockIdx.x] + threadIdx.x; i < chunks.first[blockIdx.x + 1];
       i += kChunkThreads) {
    const LambSquares<C> of_chunk = squares[i];
    sum_of_parameter += static_cast<double>(of_chunk.of_parameter);
    sum_of_direction += static_cast<double>(of_chunk.of_direction);
  }
  of_parameter[threadIdx.x] = sum_of_parameter;
  of_direction[threadIdx.x] = sum_of_direction;
  add_up_threads(of_parameter, of_direction);
  if (threadIdx.x != 0) return;
  of_parameters[blockIdx.x] = std::sqrt(of_parameter[0]);
  of_directions[blockIdx.x] = std::sqrt(of_direction[0]);
}

// Computes x -= rate * trust ratio * direction, and writes x's copy in the type Copy. A skipped
// step changes no x, but its copies are written all the same.
template <class C, class Copy>
__global__ void __launch_bounds__(kChunkThreads)
    lamb_apply(const __grid_constant__ LambTable<C> table, const __grid_constant__ LambRule<C> rule,
               const LambNumbers* numbers, const LambNorms norms) {
  __shared__ C rate_of_chunk;
  const LambChunk<C> chunk(table);
  const bool counts = numbers->counts != 0;
  Copy* copy = chunk.at.copy ? static_cast<Copy*>(chunk.at.copy) + chunk.begin : nullptr;
  if (!counts && !copy) return;
  if (threadIdx.x == 0)
    rate_of_chunk = static_cast<C>(numbers->rate * norms.trust_ratio(chunk.tensor));
  __syncthreads();
  const C rate = rate_of_chunk;
  const LambDirection<C> direction(*numbers, rule);
  const bool copy_by_fours = lie_by_fours<Copy>({copy});
  for (unsigned i = kAtOnce * threadIdx.x; i < chunk.count; i += kAtOnce * kChunkThreads) {
    const bool by_four = chunk.by_fours && i + kAtOnce <= chunk.count;
    Four<C> loaded[3];
    load_fours<C>({chunk.at.parameter, chunk.at.mean, chunk.at.mean_square}, i, chunk.count,
                  by_four, loaded);
    Four<C>& parameter = loaded[0];
    if (counts) {
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) {
        parameter.value[k] -=
            rate * direction.of(parameter.value[k], loaded[1].value[k], loaded[2].value[k]);
      }
      store_four(parameter, chunk.at.parameter, i, chunk.count, by_four);
    }
    if (!copy) continue;
    Four<Copy> rounded;
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) rounded.value[k] = static_cast<Copy>(parameter.value[k]);
    store_four(rounded, copy, i, chunk.count, copy_by_fours && i + kAtOnce <= chunk.count);
  }
}

template <class C>
cudaError_t launch_lamb_moments(const LambTable<C>& table, const LambRule<C>& rule,
                                const LambNumbers* numbers, LambSquares<C>* squares,
                                cudaStream_t stream) {
  return launch(&lamb_moments<C>, table.chunks.chunks(), kChunkThreads, stream, table, rule,
                numbers, squares);
}

template <class C>
cudaError_t launch_lamb_norms(const ChunkTable& chunks, const LambSquares<C>* squares,
                              double* of_parameters, double* of_directions, cudaStream_t stream) {
  return launch(&lamb_norms<C>, chunks.tensors, kChunkThreads, stream, chunks, squares,
                of_parameters, of_directions);
}

template <class C, class Copy>
cudaError_t launch_lamb_apply(const LambTable<C>& table, const LambRule<C>& rule,
                              const LambNumbers* numbers, const LambNorms& norms,
                              cudaStream_t stream) {
  return launch(&lamb_apply<C, Copy>, table.chunks.chunks(), kChunkThreads, stream, table, rule,
                numbers, norms);
}

}  // namespace scalemark::cuda
