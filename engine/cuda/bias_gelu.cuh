// Bias and GELU (with erf) in one pass, and their gradients in one. Computed in float, activations in any type. Knows
// no torch.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "engine/cuda/column_sums.cuh"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/launches.h"
#include "engine/cuda/row_groups.cuh"

namespace scalemark::cuda {

// Of the normal distribution.
template <class C>
__device__ __forceinline__ C cumulative(C h) {
  return C{0.5} * (C{1} + std::erf(h * static_cast<C>(0.70710678118654752440)));
}

// Of h P(h), P the above.
template <class C>
__device__ __forceinline__ C slope_of_gelu(C h) {
  constexpr C kDensityAtZero = static_cast<C>(0.39894228040143267794);  // 1 / sqrt(2 pi)
  return cumulative(h) + h * kDensityAtZero * std::exp(C{-0.5} * h * h);
}

template <class X, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kTileThreads, kTileBlocksAtOnce)
    bias_gelu(const X* __restrict__ x, const C* __restrict__ bias, X* __restrict__ y, const Tiles tiles) {
  C added[kGroup] = {};
  const unsigned group = blockIdx.x % tiles.across * kWarp + threadIdx.x % kWarp;
  if (kGroup * group < tiles.columns) load_group<kWhole>(bias, group, tiles.columns, added);
  for_rows_of_tile(tiles, [&](std::int64_t row, unsigned at) {
    C h[kGroup];
    load_group<kWhole>(x + row * tiles.columns, at, tiles.columns, h);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      h[i] += added[i];
      h[i] *= cumulative(h[i]);
    }
    store_group<kWhole>(y + row * tiles.columns, at, tiles.columns, h);
  });
}

// `partials` [chunks][columns]: of the bias.
template <class X, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kTileThreads, kTileBlocksAtOnce)
    bias_gelu_gradient(const X* __restrict__ of_y, const X* __restrict__ x, const C* __restrict__ bias,
                       X* __restrict__ of_x, C* __restrict__ partials, const Tiles tiles) {
  C added[kGroup] = {}, sums[kGroup] = {};
  const unsigned group = blockIdx.x % tiles.across * kWarp + threadIdx.x % kWarp;
  if (kGroup * group < tiles.columns) load_group<kWhole>(bias, group, tiles.columns, added);
  for_rows_of_tile(tiles, [&](std::int64_t row, unsigned at) {
    C h[kGroup], gradient[kGroup];
    load_group<kWhole>(x + row * tiles.columns, at, tiles.columns, h);
    load_group<kWhole>(of_y + row * tiles.columns, at, tiles.columns, gradient);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      gradient[i] *= slope_of_gelu(h[i] + added[i]);
      sums[i] += gradient[i];
    }
    store_group<kWhole>(of_x + row * tiles.columns, at, tiles.columns, gradient);
  });
  store_tile_sums(tiles, sums, partials);
}

template <class X, class C>
cudaError_t launch_bias_gelu(const X* x, const C* bias, X* y, std::int64_t rows, std::int64_t columns,
                             unsigned multiprocessors, cudaStream_t stream) {
  const Tiles tiles = tiles_of(rows, columns, multiprocessors);
  const auto kernel = has_whole_groups(columns, {x, bias, y}) ? &bias_gelu<X, true> : &bias_gelu<X, false>;
  return launch(kernel, tiles.blocks(), kTileThreads, stream, x, bias, y, tiles);
}

template <class X, class C>
cudaError_t launch_bias_gelu_gradient(const X* of_y, const X* x, const C* bias, X* of_x, C* partials, C* of_bias,
                                      const Tiles& tiles, cudaStream_t stream) {
  const auto kernel = has_whole_groups(tiles.columns, {of_y, x, bias, of_x}) ? &bias_gelu_gradient<X, true>
                                                                             : &bias_gelu_gradient<X, false>;
  const cudaError_t error =
      launch(kernel, tiles.blocks(), kTileThreads, stream, of_y, x, bias, of_x, partials, tiles);
  if (error != cudaSuccess) return error;
  return launch_add_up_chunks(partials, tiles.chunks, tiles.columns, of_bias, stream);
}

}  // namespace scalemark::cuda
