// The launches of batch norm's passes over activations [rows, channels] in NHWC order, with their
// arguments. They are defined in forward.cuh and backward.cuh; kernels.cu instantiates those that
// the operators call. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace scalemark::cuda {

// Finished blocks are counted in device memory, with one counter for each tile. Each stream has a
// set of counters, since kernels of two streams may run at once.
constexpr unsigned kNormCounters = 1024, kCounterSets = 64;

// Returns the first of the kCounterSets x kNormCounters counters of the current device. They start
// at 0, and each kernel that counts leaves them at 0: nothing is allocated, filled or waited for,
// so that steps with these kernels can be captured.
cudaError_t address_of_counters(void** first);

// A block has kNormThreads threads: kLanes side by side in each of kRowsAtOnce rows.
constexpr int kNormThreads = 256;
constexpr int kLanes = 8;
constexpr int kRowsAtOnce = kNormThreads / kLanes;

// The type of numbers per channel and of arithmetic.
template <class Element>
using RealOf = std::conditional_t<std::is_same_v<Element, double>, double, float>;

// kVector: channels of a thread. kTile: channels of all the lanes of a block.
template <class Element>
constexpr int kVector = static_cast<int>(16 / sizeof(Element));
template <class Element>
constexpr int kTile = kLanes* kVector<Element>;

template <class Element>
struct alignas(16) Vector {
  Element value[kVector<Element>];
};

// A grid of `chunks` x `tiles` blocks. Blocks of one chunk are neighbours, as the tiles of its rows
// are in memory.
struct ChannelGrid {
  std::int64_t rows;
  int channels;
  unsigned tiles, chunks;

  __host__ __device__ unsigned blocks() const { return tiles * chunks; }
};

// A thread gets at least this many rows, but no more than needed to let a small activation occupy
// the device, too.
constexpr int kFewestRows = 2;

// Gives as many blocks as there is work for, at most `most`, but at least one for each tile.
template <class Element>
ChannelGrid channel_grid(std::int64_t rows, std::int64_t channels, unsigned most) {
  const auto tiles = static_cast<unsigned>((channels + kTile<Element> - 1) / kTile<Element>);
  const std::int64_t rows_of_chunk = std::int64_t{kRowsAtOnce} * kFewestRows;
  const std::int64_t wanted = (rows + rows_of_chunk - 1) / rows_of_chunk;
  const auto allowed = std::int64_t{std::max(1u, most / tiles)};
  return {rows, static_cast<int>(channels), tiles,
          static_cast<unsigned>(std::min(wanted, allowed))};
}

// The place of a thread's channels in the mask: one byte for the channels of a vector, bit i for
// channel i.
template <class Element>
__host__ __device__ constexpr std::int64_t mask_stride(std::int64_t channels) {
  return (channels + kVector<Element> - 1) / kVector<Element>;
}

// Lies in device memory. Counters are 0 before a launch and 0 again after it.
template <class Real>
struct SumsInMemory {
  Real* of_blocks;  // [blocks, kSumsOfTile], at a multiple of 16 bytes
  unsigned* done;   // counts the finished blocks of each tile
};

template <class Element>
constexpr int kSumsOfTile = 2 * kTile<Element>;

// The rows of the kept statistics, with one number per channel. x * scale + offset is gain *
// norm(x). The mean is kMean + kMeanRest, since the gradients' sums are taken of x - kMean.
enum Kept { kScale, kOffset, kMean, kMeanRest, kInverse, kKeptRows };

template <class Real>
struct NormNumbers {
  const Real *weight, *bias;
  double gain, eps;
  Real* kept;  // [kKeptRows, channels]
  int channels;

  __device__ Real* row(Kept what) const {
    return kept + static_cast<std::int64_t>(what) * channels;
  }

  __device__ void keep(int channel, double mean, double variance) const {
    const double inverse = 1 / std::sqrt(variance + eps);
    const double factor = gain * static_cast<double>(weight[channel]) * inverse;
    row(kScale)[channel] = static_cast<Real>(factor);
    row(kOffset)[channel] =
        static_cast<Real>(gain * static_cast<double>(bias[channel]) - mean * factor);
    row(kMean)[channel] = static_cast<Real>(mean);
    row(kMeanRest)[channel] = static_cast<Real>(mean - static_cast<double>(row(kMean)[channel]));
    row(kInverse)[channel] = static_cast<Real>(inverse);
  }
};

// A null pointer is left out.
template <class Real>
struct RunningNumbers {
  Real *mean, *variance;
  double momentum;

  __device__ void move(int channel, double batch_mean, double batch_variance) const {
    move(mean, channel, batch_mean);
    move(variance, channel, batch_variance);
  }

 private:
  __device__ void move(Real* numbers, int channel, double value) const {
    if (!numbers) return;
    numbers[channel] = static_cast<Real>(momentum * value +
                                         (1 - momentum) * static_cast<double>(numbers[channel]));
  }
};

template <class Element>
struct StatisticsJob {
  using Real = RealOf<Element>;
  ChannelGrid grid;
  const Element* x;
  NormNumbers<Real> norm;
  RunningNumbers<Real> running;
  SumsInMemory<Real> sums;
};

// `whole`: all arrays can be read and written by 16 bytes at once.
template <class Element>
cudaError_t launch_statistics(const StatisticsJob<Element>& job, bool whole, cudaStream_t stream);

// Evaluation uses running statistics.
template <class Real>
cudaError_t launch_of_running(const NormNumbers<Real>& norm, const Real* mean, const Real* variance,
                              cudaStream_t stream);

template <class Element>
struct NormaliseJob {
  using Real = RealOf<Element>;
  ChannelGrid grid;
  const Element* x;
  const Real *scale, *offset;
  bool relu;
  const Element* added;  // null: nothing
  Element* y;
  // The mask [rows, mask_stride], in which a bit is set where the ReLU passed y; null: none is
  // written.
  std::uint8_t* positive;
};

template <class Element>
cudaError_t launch_normalise_channels(const NormaliseJob<Element>& job, bool whole,
                                      cudaStream_t stream);

template <class Element>
struct GradientSumsJob {
  using Real = RealOf<Element>;
  ChannelGrid grid;
  const Element* x;
  const Real* kept;  // [kKeptRows, channels], as the forward pass wrote them
  bool relu;  // the mask is computed again as x * scale + offset > 0; not together with `positive`
  const std::uint8_t* positive;
  const Element* of_y;
  const Element* of_y_too;  // null: y has one gradient only
  Element* masked;  // null, or gets the sum of the gradients after the ReLU; may be either of them
  double gain;
  Real* slopes;  // [2, channels]: b and c of the gradient of x
  Real *of_weight, *of_bias;
  SumsInMemory<Real> sums;

  __device__ const Real* row(Kept what) const {
    return kept + static_cast<std::int64_t>(what) * grid.channels;
  }
};

template <class Element>
cudaError_t launch_gradient_sums(const GradientSumsJob<Element>& job, bool whole,
                                 cudaStream_t stream);

template <class Element>
struct InputGradientJob {
  using Real = RealOf<Element>;
  ChannelGrid grid;
  const Element* x;
  const Real *scale, *offset;  // the forward pass wrote them
  const Element* of_norm;
  const Real* slopes;  // [2, channels]
  Element* of_x;       // may be the same memory as of_norm
};

// `relu`: of_norm counts as 0 where x * scale + offset was not positive.
template <class Element>
cudaError_t launch_input_gradient(const InputGradientJob<Element>& job, bool whole, bool relu,
                                  cudaStream_t stream);

}  // namespace scalemark::cuda
