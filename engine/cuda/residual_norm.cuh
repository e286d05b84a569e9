// Bias, dropout, residual and layer norm of a transformer in one pass, and their gradients in one:
// a warp takes a row and holds it in registers. Sums, statistics and parameters are in float,
// activations have any type. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "engine/cuda/launches.h"
#include "engine/cuda/row_groups.cuh"

namespace scalemark::cuda {

// --- Dropout masks on CUDA, from torch's generator: Philox4x32-10 (kernels/philox.h) with counters
// in cuRAND's layout, so that masks never meet the numbers of torch's own kernels.
//
// A mask has a byte for each group of 8 columns of a row, and in it a bit for each element, which
// is 1 where the element is kept. Group `g`, counted row after row over the whole mask, takes one
// block of the generator: subsequence g at the mask's offset. Its elements take the block's 16-bit
// halves, lower ones first; an element is kept where its half is not below the threshold.

struct PhiloxBlock {
  std::uint32_t word[4];
};

__device__ __forceinline__ PhiloxBlock philox(std::uint64_t key, std::uint64_t low,
                                              std::uint64_t high) {
  std::uint32_t c0 = static_cast<std::uint32_t>(low), c1 = static_cast<std::uint32_t>(low >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(high), c3 = static_cast<std::uint32_t>(high >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c0, b = std::uint64_t{0xCD9E8D57} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(b);
    c3 = static_cast<std::uint32_t>(a);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {{c0, c1, c2, c3}};
}

// It may load from the device, so a kernel calls it once.
__device__ __forceinline__ RandomSource resolved(const RandomSource& source) {
  const std::uint64_t seed =
      source.seed_at ? static_cast<std::uint64_t>(*source.seed_at) : source.seed;
  const std::uint64_t before = source.offset_at ? static_cast<std::uint64_t>(*source.offset_at) : 0;
  return {nullptr, nullptr, seed, before + source.offset};
}

// Returns the mask byte of a group; `source` comes from resolved().
__device__ __forceinline__ std::uint8_t draw_group(const RandomSource& source,
                                                   std::uint32_t threshold, std::uint64_t group) {
  const PhiloxBlock block = philox(source.seed, source.offset / kWordsOfAMask, group);
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t half = block.word[i / 2] >> (16 * (i % 2)) & 0xffff;
    bits |= static_cast<unsigned>(half >= threshold) << i;
  }
  return static_cast<std::uint8_t>(bits);
}

// Returns the factor of element `i` of a group.
template <class C>
__device__ __forceinline__ C kept(unsigned bits, int i, C scale) {
  return (bits >> i & 1) != 0 ? scale : C{0};
}

// So many blocks run at once on a multiprocessor, which the registers allow.
constexpr unsigned kNormForwardBlocks = 4;
constexpr int kMostNormGroups = 4;  // groups of a thread at most
constexpr std::int64_t kMostNormColumns = kMostNormGroups * kWarp * kGroup;

template <class X, int kGroups, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kRowThreads, kNormForwardBlocks)
    residual_norm(const ResidualNorm<X> a) {
  const unsigned lane = threadIdx.x % kWarp, groups = (a.columns + kGroup - 1) / kGroup;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * kRowWarps;
  const RandomSource source = resolved(a.drawing.source);
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRowWarps + threadIdx.x / kWarp;
       row < a.rows; row += warps) {
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
    const C rstd = C{1} / std::sqrt(sum_over_warp(squares) / static_cast<C>(a.columns) + a.eps);
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

// Adds up the sums of the block's warps, warp by warp.
template <int kGroups, class C>
__device__ __forceinline__ void store_norm_partials(const C (&of_bias)[kGroups][kGroup],
                                                    const C (&of_gamma)[kGroups][kGroup],
                                                    const C (&of_beta)[kGroups][kGroup],
                                                    unsigned columns, C* partials) {
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
      partials[(static_cast<std::int64_t>(blockIdx.x) * 3 + which) * columns + column] =
          parts[which][column];
    }
  }
}

template <class X, int kGroups, bool kWhole, class C = Computed<X>>
__global__ void __launch_bounds__(kRowThreads, kNormBlocksPerMultiprocessor)
    residual_norm_gradient(const ResidualNormGradient<X> a) {
  const unsigned lane = threadIdx.x % kWarp, groups = (a.columns + kGroup - 1) / kGroup;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * kRowWarps;
  C of_bias[kGroups][kGroup] = {}, of_gamma[kGroups][kGroup] = {}, of_beta[kGroups][kGroup] = {};
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRowWarps + threadIdx.x / kWarp;
       row < a.rows; row += warps) {
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

// Calls body(groups of a thread, whether groups are whole), with both as types.
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
cudaError_t launch_residual_norm(const ResidualNorm<X>& a, unsigned multiprocessors,
                                 cudaStream_t stream) {
  const bool whole =
      has_whole_groups(a.columns, {a.x, a.residual, a.bias, a.gamma, a.beta, a.y, a.sum});
  const unsigned blocks = blocks_for(a.rows, kRowWarps, 2 * kNormForwardBlocks * multiprocessors);
  return with_norm_shape(a.columns, whole, [&](auto groups, auto is_whole) {
    return launch(&residual_norm<X, decltype(groups)::kValue, decltype(is_whole)::kValue>, blocks,
                  kRowThreads, stream, a);
  });
}

template <class X, class C>
cudaError_t launch_residual_norm_gradient(const ResidualNormGradient<X>& a, C* of_parameters,
                                          unsigned multiprocessors, cudaStream_t stream) {
  const bool whole =
      has_whole_groups(a.columns, {a.of_y, a.of_y_too, a.sum, a.gamma, a.of_x, a.of_residual});
  const unsigned blocks = norm_blocks(a.rows, multiprocessors);
  const cudaError_t error = with_norm_shape(a.columns, whole, [&](auto groups, auto is_whole) {
    return launch(&residual_norm_gradient<X, decltype(groups)::kValue, decltype(is_whole)::kValue>,
                  blocks, kRowThreads, stream, a);
  });
  if (error != cudaSuccess) return error;
  return launch_add_up_chunks(a.partials, blocks, 3 * std::int64_t{a.columns}, of_parameters,
                              stream);
}

}  // namespace scalemark::cuda
