// Bias, dropout, residual and layer norm of a transformer in one pass, and their gradients in one: a warp takes a row
// and holds it in registers. Sums, statistics and parameters in float, activations in any type. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "engine/cuda/column_sums.cuh"
#include "engine/cuda/dropout_mask.cuh"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/launches.h"
#include "engine/cuda/row_groups.cuh"

namespace scalemark::cuda {

constexpr unsigned kNormForwardBlocks = 4;  // at once on a multiprocessor: what the registers allow
constexpr int kMostNormGroups = 4;          // of a thread
constexpr std::int64_t kMostNormColumns = kMostNormGroups * kWarp * kGroup;

template <class X, int kGroups, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kRowThreads, kNormForwardBlocks) residual_norm(const ResidualNorm<X> a) {
  const unsigned lane = threadIdx.x % kWarp, groups = (a.columns + kGroup - 1) / kGroup;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * kRowWarps;
  const RandomSource source = settled(a.drawing.source);
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRowWarps + threadIdx.x / kWarp; row < a.rows;
       row += warps) {
    const std::int64_t first = row * a.columns;
    C value[kGroups][kGroup], total = 0;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const unsigned group = g * kWarp + lane;
      if (group >= groups) continue;
      C bias[kGroup], residual[kGroup];
      load_group<kWhole>(a.x + first, group, a.columns, value[g]);
      load_group<kWhole>(a.residual + first, group, a.columns, residual);
      load_group<kWhole>(a.bias, group, a.columns, bias);
      unsigned bits = 0xff;
      if (a.mask) {
        const std::int64_t at = row * groups + group;
        bits = draw_group(source, a.drawing.threshold, static_cast<std::uint64_t>(at));
        a.mask[at] = static_cast<std::uint8_t>(bits);
      }
#pragma unroll
      for (int i = 0; i < kGroup; ++i) {
        value[g][i] = (value[g][i] + bias[i]) * kept(bits, i, a.scale) + residual[i];
        total += value[g][i];
      }
      store_group<kWhole>(a.sum + first, group, a.columns, value[g]);
    }
    const C mean = sum_over_warp(total) / static_cast<C>(a.columns);
    C squares = 0;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const unsigned group = g * kWarp + lane;
      if (group >= groups) continue;
#pragma unroll
      for (int i = 0; i < kGroup; ++i) {
        value[g][i] -= mean;
        if (is_inside<kWhole>(group, i, a.columns)) squares += value[g][i] * value[g][i];
      }
    }
    const C variance = sum_over_warp(squares) / static_cast<C>(a.columns);
    const C rstd = C{1} / std::sqrt(variance + a.eps);
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const unsigned group = g * kWarp + lane;
      if (group >= groups) continue;
      C gamma[kGroup], beta[kGroup];
      load_group<kWhole>(a.gamma, group, a.columns, gamma);
      load_group<kWhole>(a.beta, group, a.columns, beta);
#pragma unroll
      for (int i = 0; i < kGroup; ++i) value[g][i] = value[g][i] * rstd * gamma[i] + beta[i];
      store_group<kWhole>(a.y + first, group, a.columns, value[g]);
    }
    if (lane == 0) {
      a.mean[row] = mean;
      a.rstd[row] = rstd;
    }
  }
}

// Adds what the block's warps have gathered, warp by warp.
template <int kGroups, class C>
__device__ __forceinline__ void store_norm_partials(const C (&of_bias)[kGroups][kGroup],
                                                    const C (&of_gamma)[kGroups][kGroup],
                                                    const C (&of_beta)[kGroups][kGroup], unsigned columns,
                                                    C* partials) {
  constexpr unsigned kColumns = kGroups * kWarp * kGroup;
  __shared__ C parts[3][kColumns];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  for (unsigned turn = 0; turn < kRowWarps; ++turn) {
    if (warp == turn) {
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
          const unsigned column = (g * kWarp + lane) * kGroup + i;
          parts[0][column] = of_bias[g][i] + (turn == 0 ? C{0} : parts[0][column]);
          parts[1][column] = of_gamma[g][i] + (turn == 0 ? C{0} : parts[1][column]);
          parts[2][column] = of_beta[g][i] + (turn == 0 ? C{0} : parts[2][column]);
        }
      }
    }
    __syncthreads();
  }
  for (unsigned which = 0; which < 3; ++which) {
    for (unsigned column = threadIdx.x; column < columns; column += kRowThreads) {
      partials[(static_cast<std::int64_t>(blockIdx.x) * 3 + which) * columns + column] = parts[which][column];
    }
  }
}

template <class X, int kGroups, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kRowThreads, kNormBlocksPerMultiprocessor)
    residual_norm_gradient(const ResidualNormGradient<X> a) {
  const unsigned lane = threadIdx.x % kWarp, groups = (a.columns + kGroup - 1) / kGroup;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * kRowWarps;
  C of_bias[kGroups][kGroup] = {}, of_gamma[kGroups][kGroup] = {}, of_beta[kGroups][kGroup] = {};
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRowWarps + threadIdx.x / kWarp; row < a.rows;
       row += warps) {
    const std::int64_t first = row * a.columns;
    const C mean = a.mean[row], rstd = a.rstd[row];
    C of_normal[kGroups][kGroup], normal[kGroups][kGroup], normals = 0, products = 0;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const unsigned group = g * kWarp + lane;
      if (group >= groups) continue;
      C gamma[kGroup];
      load_group<kWhole>(a.of_y + first, group, a.columns, of_normal[g]);
      load_group<kWhole>(a.sum + first, group, a.columns, normal[g]);
      load_group<kWhole>(a.gamma, group, a.columns, gamma);
      if (a.of_y_too) {
        C more[kGroup];
        load_group<kWhole>(a.of_y_too + first, group, a.columns, more);
#pragma unroll
        for (int i = 0; i < kGroup; ++i) of_normal[g][i] += more[i];
      }
#pragma unroll
      for (int i = 0; i < kGroup; ++i) {
        normal[g][i] = (normal[g][i] - mean) * rstd;
        of_gamma[g][i] += of_normal[g][i] * normal[g][i];
        of_beta[g][i] += of_normal[g][i];
        of_normal[g][i] *= gamma[i];
        normals += of_normal[g][i];
        products += of_normal[g][i] * normal[g][i];
      }
    }
    const C of_mean = sum_over_warp(normals) / static_cast<C>(a.columns);
    const C of_deviation = sum_over_warp(products) / static_cast<C>(a.columns);
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const unsigned group = g * kWarp + lane;
      if (group >= groups) continue;
#pragma unroll
      for (int i = 0; i < kGroup; ++i) {
        of_normal[g][i] = rstd * (of_normal[g][i] - of_mean - normal[g][i] * of_deviation);
      }
      store_group<kWhole>(a.of_residual + first, group, a.columns, of_normal[g]);
      if (a.mask) {
        const unsigned bits = a.mask[row * groups + group];
#pragma unroll
        for (int i = 0; i < kGroup; ++i) of_normal[g][i] *= kept(bits, i, a.scale);
      }
      if (a.of_x) store_group<kWhole>(a.of_x + first, group, a.columns, of_normal[g]);
#pragma unroll
      for (int i = 0; i < kGroup; ++i) of_bias[g][i] += of_normal[g][i];
    }
  }
  store_norm_partials<kGroups>(of_bias, of_gamma, of_beta, a.columns, a.partials);
}

// Calls body(groups of a thread, whether groups are whole), both as types.
template <int kCount>
struct Groups {
  static constexpr int kValue = kCount;
};
template <bool kIs>
struct Whole {
  static constexpr bool kValue = kIs;
};
template <class Body>
cudaError_t with_norm_shape(std::int64_t columns, bool whole, const Body& body) {
  if (columns > kMostNormColumns) return cudaErrorInvalidConfiguration;
  if (!whole) return body(Groups<kMostNormGroups>(), Whole<false>());
  if (columns <= 1 * kWarp * kGroup) return body(Groups<1>(), Whole<true>());
  if (columns <= 3 * kWarp * kGroup) return body(Groups<3>(), Whole<true>());
  return body(Groups<kMostNormGroups>(), Whole<true>());
}

template <class X>
cudaError_t launch_residual_norm(const ResidualNorm<X>& a, unsigned multiprocessors, cudaStream_t stream) {
  const bool whole = has_whole_groups(a.columns, {a.x, a.residual, a.bias, a.gamma, a.beta, a.y, a.sum});
  const unsigned blocks = blocks_for(a.rows, kRowWarps, 2 * kNormForwardBlocks * multiprocessors);
  return with_norm_shape(a.columns, whole, [&](auto groups, auto is_whole) {
    return launch(&residual_norm<X, decltype(groups)::kValue, decltype(is_whole)::kValue>, blocks, kRowThreads, stream,
                  a);
  });
}

template <class X, class C>
cudaError_t launch_residual_norm_gradient(const ResidualNormGradient<X>& a, C* of_parameters, unsigned multiprocessors,
                                          cudaStream_t stream) {
  const bool whole = has_whole_groups(a.columns, {a.of_y, a.of_y_too, a.sum, a.gamma, a.of_x, a.of_residual});
  const unsigned blocks = norm_blocks(a.rows, multiprocessors);
  const cudaError_t error = with_norm_shape(a.columns, whole, [&](auto groups, auto is_whole) {
    return launch(&residual_norm_gradient<X, decltype(groups)::kValue, decltype(is_whole)::kValue>, blocks, kRowThreads,
                  stream, a);
  });
  if (error != cudaSuccess) return error;
  return launch_add_up_chunks(a.partials, blocks, 3 * std::int64_t{a.columns}, of_parameters, stream);
}

}  // namespace scalemark::cuda
