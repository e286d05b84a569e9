// Forward passes of batch norm with the addition and the ReLU behind it, over activations [rows,
// channels] in NHWC order: statistics, then y. The formulas are those of kernels/norm and
// workloads/layers/norm_passes.cpp. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "engine/cuda/launches.h"
#include "engine/cuda/norm/channels.cuh"
#include "engine/cuda/norm/launches.h"

namespace scalemark::cuda {

// Computes one channel's statistics of the whole batch, from the sums of x - shift and of its
// square, and keeps them.
template <class Element>
__device__ __forceinline__ void finish_statistics(const StatisticsJob<Element>& job, int channel,
                                                  double sum, double squares) {
  const auto count = static_cast<double>(job.grid.rows);
  const double off = sum / count;
  const double rest = squares - off * off * count;
  const double sum_of_squares = rest < 0 ? 0 : rest;  // NaN stays NaN
  const double mean = static_cast<double>(static_cast<RealOf<Element>>(job.x[channel])) + off;
  job.norm.keep(channel, mean, sum_of_squares / count);
  job.running.move(channel, mean, sum_of_squares / (count - 1));
}

// x is summed less its first row, so that a mean far from 0 costs the variance no digits.
template <class Element, bool kWhole>
__global__ void __launch_bounds__(kNormThreads, 2)
    norm_statistics(const __grid_constant__ StatisticsJob<Element> job) {
  using Real = RealOf<Element>;
  constexpr int kCount = kVector<Element>;
  __shared__ SumsRoom<Element> room;
  const Place<Element> place(job.grid);
  Real sums[2 * kCount] = {}, shift[kCount] = {};
  if (place.count > 0) {
    const auto first = load<kWhole>(job.x + place.channel, place.count);
#pragma unroll
    for (int i = 0; i < kCount; ++i) shift[i] = static_cast<Real>(first.value[i]);
  }
  over_rows<kWhole ? 8 : 2>(place, job.grid, [&](auto rows, std::int64_t row) {
    constexpr int kRows = decltype(rows)::kRows;
    Vector<Element> x[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      x[r] = load<kWhole>(job.x + place.at(row + r * place.stride, job.grid), place.count);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const Real off = static_cast<Real>(x[r].value[i]) - shift[i];
        sums[i] += off;
        sums[kCount + i] += off * off;
      }
    }
  });
  if (!add_up<Element>(sums, room, job.sums, job.grid, place.tile)) return;
  const auto thread = static_cast<int>(threadIdx.x);
  const int channel =
      static_cast<int>(place.tile) * kTile<Element> + thread % kLanes * kCount + thread / kLanes;
  if (thread >= kTile<Element> || channel >= job.grid.channels) return;
  finish_statistics(job, channel, room.total(thread), room.total(thread + kTile<Element>));
}

// Evaluation uses running statistics.
template <class Real>
__global__ void norm_of_running(const __grid_constant__ NormNumbers<Real> norm, const Real* mean,
                                const Real* variance) {
  const auto channel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (channel >= norm.channels) return;
  norm.keep(channel, static_cast<double>(mean[channel]), static_cast<double>(variance[channel]));
}

// Computes y = x * scale + offset (+ added). With `relu`, y is 0 where that is not positive; NaN
// passes, as through ATen's ReLU. The result is rounded once, so that backward finds the same sign
// again.
template <class Element, bool kWhole, bool kAdd>
__global__ void __launch_bounds__(kNormThreads, 2)
    normalise_channels(const __grid_constant__ NormaliseJob<Element> job) {
  using Real = RealOf<Element>;
  constexpr int kCount = kVector<Element>;
  const Place<Element> place(job.grid);
  if (place.count <= 0) return;
  Real scale[kCount], offset[kCount];
  load_numbers(scale, job.scale + place.channel, place.count);
  load_numbers(offset, job.offset + place.channel, place.count);
  over_rows<kWhole ? 4 : 1>(place, job.grid, [&](auto rows, std::int64_t row) {
    constexpr int kRows = decltype(rows)::kRows;
    Vector<Element> x[kRows];
    [[maybe_unused]] Vector<Element> added[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t at = place.at(row + r * place.stride, job.grid);
      x[r] = load<kWhole>(job.x + at, place.count);
      if constexpr (kAdd) added[r] = load<kWhole>(job.added + at, place.count);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      unsigned mask = 0;
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        Real y = std::fma(static_cast<Real>(x[r].value[i]), scale[i], offset[i]);
        if constexpr (kAdd) y += static_cast<Real>(added[r].value[i]);
        const bool passes = !job.relu || !(y <= 0);
        mask |= static_cast<unsigned>(passes) << i;
        x[r].value[i] = static_cast<Element>(passes ? y : Real{0});
      }
      const std::int64_t of_row = row + r * place.stride;
      store<kWhole>(x[r], job.y + place.at(of_row, job.grid), place.count);
      if (kAdd && job.positive) {
        job.positive[of_row * mask_stride<Element>(job.grid.channels) + place.channel / kCount] =
            static_cast<std::uint8_t>(mask);
      }
    }
  });
}

template <class Element>
cudaError_t launch_statistics(const StatisticsJob<Element>& job, bool whole, cudaStream_t stream) {
  return launch(whole ? &norm_statistics<Element, true> : &norm_statistics<Element, false>,
                job.grid.blocks(), kNormThreads, stream, job);
}

template <class Real>
cudaError_t launch_of_running(const NormNumbers<Real>& norm, const Real* mean, const Real* variance,
                              cudaStream_t stream) {
  return launch(&norm_of_running<Real>,
                static_cast<unsigned>(norm.channels + kNormThreads - 1) / kNormThreads,
                kNormThreads, stream, norm, mean, variance);
}

template <class Element>
cudaError_t launch_normalise_channels(const NormaliseJob<Element>& job, bool whole,
                                      cudaStream_t stream) {
  const auto with =
      whole ? &normalise_channels<Element, true, true> : &normalise_channels<Element, false, true>;
  const auto without = whole ? &normalise_channels<Element, true, false>
                             : &normalise_channels<Element, false, false>;
  return launch(job.added ? with : without, job.grid.blocks(), kNormThreads, stream, job);
}

}  // namespace scalemark::cuda
