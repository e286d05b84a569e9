// Kernels beside the matrix products of a transformer's linear layers: bias and GELU, and the
// packing of three layers with one input into one product. Arithmetic is in float, activations have
// any type. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "engine/cuda/launches.h"
#include "engine/cuda/row_groups.cuh"

namespace scalemark::cuda {

// --- Bias and GELU (with erf) in one pass, and their gradients in one.

// Returns P(h), the share of the standard normal distribution that lies below h.
template <class C>
__device__ __forceinline__ C cumulative(C h) {
  return C{0.5} * (C{1} + std::erf(h * static_cast<C>(0.70710678118654752440)));
}

// Returns the derivative of h P(h), where P is cumulative().
template <class C>
__device__ __forceinline__ C slope_of_gelu(C h) {
  constexpr C kDensityAtZero = static_cast<C>(0.39894228040143267794);  // 1 / sqrt(2 pi)
  return cumulative(h) + h * kDensityAtZero * std::exp(C{-0.5} * h * h);
}

template <class X, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kTileThreads, kTileBlocksAtOnce)
    bias_gelu(const X* __restrict__ x, const C* __restrict__ bias, X* __restrict__ y,
              const Tiles tiles) {
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

// `partials` [chunks][columns] get the bias's gradient.
template <class X, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kTileThreads, kTileBlocksAtOnce)
    bias_gelu_gradient(const X* __restrict__ of_y, const X* __restrict__ x,
                       const C* __restrict__ bias, X* __restrict__ of_x, C* __restrict__ partials,
                       const Tiles tiles) {
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
cudaError_t launch_bias_gelu(const X* x, const C* bias, X* y, std::int64_t rows,
                             std::int64_t columns, unsigned multiprocessors, cudaStream_t stream) {
  const Tiles tiles = tiles_of(rows, columns, multiprocessors);
  const auto kernel =
      has_whole_groups(columns, {x, bias, y}) ? &bias_gelu<X, true> : &bias_gelu<X, false>;
  return launch(kernel, tiles.blocks(), kTileThreads, stream, x, bias, y, tiles);
}

template <class X, class C>
cudaError_t launch_bias_gelu_gradient(const X* of_y, const X* x, const C* bias, X* of_x,
                                      C* partials, C* of_bias, const Tiles& tiles,
                                      cudaStream_t stream) {
  const auto kernel = has_whole_groups(tiles.columns, {of_y, x, bias, of_x})
                          ? &bias_gelu_gradient<X, true>
                          : &bias_gelu_gradient<X, false>;
  const cudaError_t error =
      launch(kernel, tiles.blocks(), kTileThreads, stream, of_y, x, bias, of_x, partials, tiles);
  if (error != cudaSuccess) return error;
  return launch_add_up_chunks(partials, tiles.chunks, tiles.columns, of_bias, stream);
}

// --- Three linear layers with one input as one matrix product: their weights and biases are packed
// side by side in the product's type; the gradients of their outputs, too, while their sums over
// rows become the gradients of the biases.

constexpr unsigned kPackThreads = 256, kPackBlocksPerMultiprocessor = 8;

template <bool kWhole, class X, class C>
__device__ __forceinline__ void convert_group(const C* from, X* to, std::int64_t group,
                                              std::int64_t count) {
  C value[kGroup];
  const std::int64_t first = kGroup * group;
  const auto left = static_cast<unsigned>(count - first < kGroup ? count - first : kGroup);
  load_group<kWhole>(from + first, 0, left, value);
  store_group<kWhole>(to + first, 0, left, value);
}

template <class X, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kPackThreads, kTileBlocksAtOnce)
    pack_parameters(const ProjectionParameters<C> in, X* __restrict__ weights,
                    X* __restrict__ biases) {
  const std::int64_t of_weight = (in.weight_count + kGroup - 1) / kGroup;
  const std::int64_t of_bias = (in.bias_count + kGroup - 1) / kGroup;
  const std::int64_t of_layer = of_weight + of_bias,
                     stride = static_cast<std::int64_t>(gridDim.x) * kPackThreads;
#pragma unroll
  for (unsigned layer = 0; layer < kProjections; ++layer) {
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kPackThreads + threadIdx.x;
    for (std::int64_t i = first; i < of_layer; i += stride) {
      if (i < of_weight) {
        convert_group<kWhole>(in.weight[layer], weights + layer * in.weight_count, i,
                              in.weight_count);
      } else {
        convert_group<kWhole>(in.bias[layer], biases + layer * in.bias_count, i - of_weight,
                              in.bias_count);
      }
    }
  }
}

template <class X, class C>
cudaError_t launch_pack_parameters(const ProjectionParameters<C>& in, X* weights, X* biases,
                                   unsigned multiprocessors, cudaStream_t stream) {
  const bool whole =
      in.weight_count % kGroup == 0 &&
      has_whole_groups(in.bias_count, {in.weight[0], in.weight[1], in.weight[2], in.bias[0],
                                       in.bias[1], in.bias[2], weights, biases});
  const unsigned blocks =
      blocks_for((in.weight_count + kGroup - 1) / kGroup + groups_of(in.bias_count), kPackThreads,
                 kPackBlocksPerMultiprocessor * multiprocessors);
  return launch(whole ? &pack_parameters<X, true> : &pack_parameters<X, false>, blocks,
                kPackThreads, stream, in, weights, biases);
}

template <class X, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kTileThreads, kTileBlocksAtOnce)
    pack_gradients(const ProjectionGradients<X> in, X* __restrict__ packed,
                   C* __restrict__ partials, const Tiles tiles) {
  const unsigned width = tiles.columns / kProjections;
  C sums[kGroup] = {};
  for_rows_of_tile(tiles, [&](std::int64_t row, unsigned group) {
    C value[kGroup];
    if constexpr (kWhole) {
      const unsigned first = kGroup * group, which = first / width;
      const X* of_output = which == 0   ? in.of_output[0]
                           : which == 1 ? in.of_output[1]
                                        : in.of_output[2];
      load_group<true>(of_output + row * width, (first - which * width) / kGroup, width, value);
    } else {
#pragma unroll
      for (int i = 0; i < kGroup; ++i) {
        const unsigned column = kGroup * group + i, which = column / width;
        const X* of_output = which == 0   ? in.of_output[0]
                             : which == 1 ? in.of_output[1]
                                          : in.of_output[2];
        value[i] = column < tiles.columns
                       ? static_cast<C>(of_output[row * width + column - which * width])
                       : C{0};
      }
    }
#pragma unroll
    for (int i = 0; i < kGroup; ++i) sums[i] += value[i];
    store_group<kWhole>(packed + row * tiles.columns, group, tiles.columns, value);
  });
  store_tile_sums(tiles, sums, partials);
}

template <class X, class C>
cudaError_t launch_pack_gradients(const ProjectionGradients<X>& in, X* packed, C* partials,
                                  C* of_biases, const Tiles& tiles, cudaStream_t stream) {
  const bool whole = has_whole_groups(tiles.columns / kProjections,
                                      {in.of_output[0], in.of_output[1], in.of_output[2], packed});
  const cudaError_t error =
      launch(whole ? &pack_gradients<X, true> : &pack_gradients<X, false>, tiles.blocks(),
             kTileThreads, stream, in, packed, partials, tiles);
  if (error != cudaSuccess) return error;
  return launch_add_up_chunks(partials, tiles.chunks, tiles.columns, of_biases, stream);
}

}  // namespace scalemark::cuda
