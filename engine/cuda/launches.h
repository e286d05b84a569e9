// How every kernel of ours is launched, and the launches for images and for a transformer's layers,
// with the sizes that their callers must allocate. They are defined in the .cuh files; kernels.cu
// instantiates those that the operators call. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "workloads/layers/pixel_table.h"

namespace scalemark::cuda {

// Returns the number of blocks for kernels that walk over `count` items in grid-sized strides:
// enough, but at most `most`; 0 for 0 items.
inline unsigned blocks_for(std::int64_t count, unsigned threads, unsigned most) {
  const std::int64_t wanted = (count + threads - 1) / threads;
  return static_cast<unsigned>(std::min<std::int64_t>(wanted, most));
}

// Launches a kernel by a plain function call, which a host compiler understands as well (the
// kernels' tests compile them as C++, tests/cuda_shim). 0 blocks launch nothing, since CUDA refuses
// an empty grid as an invalid configuration.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                   cudaStream_t stream, Arguments&&... arguments) {
  if (blocks == 0) return cudaSuccess;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

// `count` is a number of bytes, three to a pixel. 0 bytes launch nothing.
template <class Out>
cudaError_t launch_normalise(const std::uint8_t* bytes, Out* out, std::int64_t count,
                             const workloads::PixelTable<Out>& table, unsigned multiprocessors,
                             cudaStream_t stream);

constexpr unsigned kWarp = 32;
constexpr int kGroup = 8;  // neighbouring columns that a thread handles at once

inline unsigned groups_of(std::int64_t columns) {
  return static_cast<unsigned>((columns + kGroup - 1) / kGroup);
}

// The type in which activations of type X are computed.
template <class X>
struct ComputedIn {
  using Type = float;
};
template <>
struct ComputedIn<double> {
  using Type = double;
};
template <class X>
using Computed = typename ComputedIn<X>::Type;

// For kernels whose work at an element needs its column's parameters and no other column. A block
// of 8 warps takes 256 columns, one group per lane, and a chunk of rows; blockIdx.x selects both.
constexpr unsigned kTileWarps = 8, kTileThreads = kTileWarps * kWarp, kTileColumns = kGroup * kWarp;
constexpr unsigned kTileBlocksPerMultiprocessor = 4;

struct Tiles {
  std::int64_t rows;
  unsigned columns, across, chunks;  // tiles side by side, and chunks of rows

  unsigned blocks() const { return rows == 0 ? 0 : across * chunks; }
};

// Returns enough blocks to fill the device, and a row or more for each warp.
inline Tiles tiles_of(std::int64_t rows, std::int64_t columns, unsigned multiprocessors) {
  const auto across = static_cast<unsigned>((columns + kTileColumns - 1) / kTileColumns);
  const unsigned wanted =
      (kTileBlocksPerMultiprocessor * multiprocessors + across - 1) / std::max(1u, across);
  const std::int64_t useful = (rows + kTileWarps - 1) / kTileWarps;
  const auto chunks = static_cast<unsigned>(std::min<std::int64_t>(std::max(1u, wanted), useful));
  return {rows, static_cast<unsigned>(columns), across, chunks};
}

// A mask moves the generator's offset by so much; the offset counts 32-bit words of each
// subsequence.
constexpr std::uint64_t kWordsOfAMask = 4;

// Seed and offset of the generator. While a CUDA graph is captured they lie on the device, and
// `offset` is added to the one that lies there.
struct RandomSource {
  const std::int64_t* seed_at;
  const std::int64_t* offset_at;
  std::uint64_t seed, offset;
};

// How a dropout mask is drawn (residual_norm.cuh).
struct Drawing {
  RandomSource source;
  std::uint32_t threshold;  // an element is dropped with probability threshold / 65536; 0: none is
};

// y = norm(sum) gamma + beta with sum = dropout(x + bias) + residual. Backward reads the rounded
// `sum`, forward does not.
template <class X, class C = Computed<X>>
struct ResidualNorm {
  const X *x, *residual;
  const C *bias, *gamma, *beta;
  X *y, *sum;
  C *mean, *rstd;
  std::uint8_t* mask;  // null without dropout
  std::int64_t rows;
  unsigned columns;
  C eps, scale;
  Drawing drawing;
};

template <class X>
cudaError_t launch_residual_norm(const ResidualNorm<X>& a, unsigned multiprocessors,
                                 cudaStream_t stream);

// `of_y_too`, which may be null, is the gradient from y's other user and is added to of_y. Without
// dropout `of_x` is null, and of_residual is the gradient of both. Blocks write `partials`
// [blocks][3][columns]: of the bias, gamma and beta.
template <class X, class C = Computed<X>>
struct ResidualNormGradient {
  const X *of_y, *of_y_too, *sum;
  const C *mean, *rstd, *gamma;
  const std::uint8_t* mask;
  X *of_x, *of_residual;
  C* partials;
  std::int64_t rows;
  unsigned columns;
  C scale;
};

constexpr unsigned kRowWarps = 4, kRowThreads = kRowWarps * kWarp;
// Backward launches at most this many blocks for each multiprocessor, and all of them run at once.
constexpr unsigned kNormBlocksPerMultiprocessor = 2;

inline unsigned norm_blocks(std::int64_t rows, unsigned multiprocessors) {
  return blocks_for(rows, kRowWarps, kNormBlocksPerMultiprocessor * multiprocessors);
}

// `a.partials` holds norm_blocks() blocks; `of_parameters` is [3][columns].
template <class X, class C = Computed<X>>
cudaError_t launch_residual_norm_gradient(const ResidualNormGradient<X>& a, C* of_parameters,
                                          unsigned multiprocessors, cudaStream_t stream);

template <class X, class C = Computed<X>>
cudaError_t launch_bias_gelu(const X* x, const C* bias, X* y, std::int64_t rows,
                             std::int64_t columns, unsigned multiprocessors, cudaStream_t stream);

// `partials` holds the chunks of tiles_of(); `of_bias` is [columns].
template <class X, class C = Computed<X>>
cudaError_t launch_bias_gelu_gradient(const X* of_y, const X* x, const C* bias, X* of_x,
                                      C* partials, C* of_bias, const Tiles& tiles,
                                      cudaStream_t stream);

constexpr unsigned kProjections = 3;  // linear layers that share one input

// Arrays that are packed one after the other into two targets: weights into one, biases into the
// other. The counts are those of one layer.
template <class C>
struct ProjectionParameters {
  const C *weight[kProjections], *bias[kProjections];
  std::int64_t weight_count;
  unsigned bias_count;
};

template <class X, class C = Computed<X>>
cudaError_t launch_pack_parameters(const ProjectionParameters<C>& in, X* weights, X* biases,
                                   unsigned multiprocessors, cudaStream_t stream);

// The gradients of the outputs, each [rows][columns / 3].
template <class X>
struct ProjectionGradients {
  const X* of_output[kProjections];
};

// `partials` holds the chunks of tiles_of(); `packed` is [rows][columns], `of_biases` [columns].
template <class X, class C = Computed<X>>
cudaError_t launch_pack_gradients(const ProjectionGradients<X>& in, X* packed, C* partials,
                                  C* of_biases, const Tiles& tiles, cudaStream_t stream);

}  // namespace scalemark::cuda
