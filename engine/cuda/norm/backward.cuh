// Backward passes of batch norm with the addition and the ReLU behind it: first the sums of the
// incoming gradient, then the gradient of x. The formulas are those of kernels/norm and
// workloads/layers/norm_passes.cpp. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "engine/cuda/launches.h"
#include "engine/cuda/norm/channels.cuh"
#include "engine/cuda/norm/launches.h"

namespace scalemark::cuda {

// With n rows, normalised x h and factor = gain * weight * inverse, the gradient of x is factor *
// (g - sum(g) / n - h * sum(g h) / n) = factor * g + b * x + c. This computes b and c from the sums
// of g and of g * (x - mean).
template <class Element>
__device__ __forceinline__ void finish_gradients(const GradientSumsJob<Element>& job, int channel,
                                                 double of_bias, double products) {
  using Real = RealOf<Element>;
  const auto number = [&](Kept what) { return static_cast<double>(job.row(what)[channel]); };
  const auto count = static_cast<double>(job.grid.rows);
  const double inverse = number(kInverse), factor = number(kScale);
  const double of_weight = (products - number(kMeanRest) * of_bias) * inverse;
  const double slope = -factor * inverse * of_weight / count;
  job.slopes[channel] = static_cast<Real>(slope);
  job.slopes[job.grid.channels + channel] =
      static_cast<Real>(-slope * (number(kMean) + number(kMeanRest)) - factor * of_bias / count);
  job.of_weight[channel] = static_cast<Real>(job.gain * of_weight);
  job.of_bias[channel] = static_cast<Real>(job.gain * of_bias);
}

// kBits: the ReLU's mask is read. Else the mask is computed; without a ReLU everything passes.
template <class Element, bool kWhole, bool kBits>
__global__ void __launch_bounds__(kNormThreads, 2)
    norm_gradient_sums(const __grid_constant__ GradientSumsJob<Element> job) {
  using Real = RealOf<Element>;
  constexpr int kCount = kVector<Element>;
  constexpr int kDepth = kWhole ? 2 : 1;  // rows at once; the registers allow no more
  __shared__ SumsRoom<Element> room;
  const Place<Element> place(job.grid);
  Real sums[2 * kCount] = {}, mean[kCount], scale[kCount], offset[kCount];
  load_numbers(mean, job.row(kMean) + place.channel, place.count);
  if constexpr (!kBits) {
    load_numbers(scale, job.row(kScale) + place.channel, job.relu ? place.count : 0);
    load_numbers(offset, job.row(kOffset) + place.channel, job.relu ? place.count : 0, Real{1});
  }
  over_rows<kDepth>(place, job.grid, [&](auto rows, std::int64_t row) {
    constexpr int kRows = decltype(rows)::kRows;
    Vector<Element> x[kRows], of_y[kRows], of_y_too[kRows];
    [[maybe_unused]] unsigned mask[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t of_row = row + r * place.stride, at = place.at(of_row, job.grid);
      x[r] = load<kWhole>(job.x + at, place.count);
      of_y[r] = load<kWhole>(job.of_y + at, place.count);
      if (job.of_y_too) of_y_too[r] = load<kWhole>(job.of_y_too + at, place.count);
      if constexpr (kBits) {
        mask[r] =
            job.positive[of_row * mask_stride<Element>(job.grid.channels) + place.channel / kCount];
      }
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const Real value = static_cast<Real>(x[r].value[i]);
        Real g = static_cast<Real>(of_y[r].value[i]);
        if (job.of_y_too) g += static_cast<Real>(of_y_too[r].value[i]);
        bool passes;
        if constexpr (kBits) {
          passes = (mask[r] >> i & 1) != 0;
        } else {
          passes = !(std::fma(value, scale[i], offset[i]) <= 0);
        }
        g = passes ? g : Real{0};
        of_y[r].value[i] = static_cast<Element>(g);
        sums[i] += g;
        sums[kCount + i] += g * (value - mean[i]);
      }
      if (job.masked) {
        store<kWhole>(of_y[r], job.masked + place.at(row + r * place.stride, job.grid),
                      place.count);
      }
    }
  });
  if (!add_up<Element>(sums, room, job.sums, job.grid, place.tile)) return;
  const auto thread = static_cast<int>(threadIdx.x);
  const int channel =
      static_cast<int>(place.tile) * kTile<Element> + thread % kLanes * kCount + thread / kLanes;
  if (thread >= kTile<Element> || channel >= job.grid.channels) return;
  finish_gradients(job, channel, room.total(thread), room.total(thread + kTile<Element>));
}

// Computes of_x = of_norm * scale + x * b + c. kRelu: of_norm counts as 0 where x * scale + offset
// was not positive.
template <class Element, bool kWhole, bool kRelu>
__global__ void __launch_bounds__(kNormThreads, 2)
    norm_input_gradient(const __grid_constant__ InputGradientJob<Element> job) {
  using Real = RealOf<Element>;
  constexpr int kCount = kVector<Element>;
  const Place<Element> place(job.grid);
  if (place.count <= 0) return;
  Real scale[kCount], offset[kCount], b[kCount], c[kCount];
  load_numbers(scale, job.scale + place.channel, place.count);
  if constexpr (kRelu) load_numbers(offset, job.offset + place.channel, place.count);
  load_numbers(b, job.slopes + place.channel, place.count);
  load_numbers(c, job.slopes + job.grid.channels + place.channel, place.count);
  over_rows<kWhole ? 4 : 1>(place, job.grid, [&](auto rows, std::int64_t row) {
    constexpr int kRows = decltype(rows)::kRows;
    Vector<Element> x[kRows], of_norm[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t at = place.at(row + r * place.stride, job.grid);
      x[r] = load<kWhole>(job.x + at, place.count);
      of_norm[r] = load<kWhole>(job.of_norm + at, place.count);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const Real value = static_cast<Real>(x[r].value[i]);
        Real g = static_cast<Real>(of_norm[r].value[i]);
        if constexpr (kRelu) g = std::fma(value, scale[i], offset[i]) <= 0 ? Real{0} : g;
        x[r].value[i] = static_cast<Element>(g * scale[i] + (value * b[i] + c[i]));
      }
      store<kWhole>(x[r], job.of_x + place.at(row + r * place.stride, job.grid), place.count);
    }
  });
}

template <class Element>
cudaError_t launch_gradient_sums(const GradientSumsJob<Element>& job, bool whole,
                                 cudaStream_t stream) {
  const auto read =
      whole ? &norm_gradient_sums<Element, true, true> : &norm_gradient_sums<Element, false, true>;
  const auto computed = whole ? &norm_gradient_sums<Element, true, false>
                              : &norm_gradient_sums<Element, false, false>;
  return launch(job.positive ? read : computed, job.grid.blocks(), kNormThreads, stream, job);
}

template <class Element>
cudaError_t launch_input_gradient(const InputGradientJob<Element>& job, bool whole, bool relu,
                                  cudaStream_t stream) {
  const auto with = whole ? &norm_input_gradient<Element, true, true>
                          : &norm_input_gradient<Element, false, true>;
  const auto without = whole ? &norm_input_gradient<Element, true, false>
                             : &norm_input_gradient<Element, false, false>;
  return launch(relu ? with : without, job.grid.blocks(), kNormThreads, stream, job);
}

}  // namespace scalemark::cuda
