// The launches of LAMB's passes over many tensors at once, with their arguments; the numbers of a
// step are known to the device only. They are defined in passes.cuh; passes.cu instantiates those
// that the operators call. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace scalemark::cuda {

// A row of numbers in device memory, since only the device knows whether the gradient scaler skips
// the step and how many steps counted before. The members that begin with per_ are reciprocals,
// because the passes multiply: of the divisor, of 1 - beta1^t and of sqrt(1 - beta2^t).
struct LambNumbers {
  double counts;  // 0: the step is skipped
  double per_divisor;
  double per_correction1, per_correction2;
  double rate;
};
constexpr int kLambNumbers = sizeof(LambNumbers) / sizeof(double);

// A number that lies on the device, or one that the host knows.
struct DeviceNumber {
  const float* in_float = nullptr;
  const double* in_double = nullptr;
  double known = 0;

  __device__ double value() const {
    if (in_float) return static_cast<double>(*in_float);
    return in_double ? *in_double : known;
  }
};

struct LambStep {
  DeviceNumber steps;      // the number of steps that counted, this one included
  DeviceNumber found_inf;  // unless it is 0, this step does not count
  DeviceNumber divisor, rate;
  double beta1, beta2;
};

// All launches are templates, so that several units may include their definitions.
template <class Step>
cudaError_t launch_lamb_numbers(const Step& step, LambNumbers* numbers, cudaStream_t stream);

// A launch takes 32,764 bytes of arguments, and its cost grows with them.
constexpr unsigned kTensorsOfALaunch = 256;
constexpr unsigned kChunkElements = 16384;  // each thread of a block adds up 64 elements in float

inline std::int64_t chunks_of(std::int64_t elements) {
  return (elements + kChunkElements - 1) / kChunkElements;
}

// A launch covers many tensors: each block takes one chunk of one tensor. Chunks are numbered
// through all tensors: tensor i has those from first[i] to before first[i + 1].
struct ChunkTable {
  unsigned first[kTensorsOfALaunch + 1];
  unsigned tensors;

  unsigned chunks() const { return first[tensors]; }

  void add(std::int64_t elements) {
    first[tensors + 1] = first[tensors] + static_cast<unsigned>(chunks_of(elements));
    ++tensors;
  }
};

// C is the type in which values are kept and computed. All arrays of a tensor have one memory
// order.
template <class C>
struct LambTensor {
  const C* gradient;  // the first pass reads it
  C *parameter, *mean, *mean_square;
  void* copy;  // the second pass writes the parameter's copy in another type; null: no copy
  std::int64_t size;
};

template <class C>
struct LambTable {
  ChunkTable chunks;
  LambTensor<C> tensor[kTensorsOfALaunch];
};

template <class C>
struct LambRule {
  C beta1, beta2, rest1, rest2;  // rest1 and rest2 are 1 - beta
  C eps, weight_decay;
};

// Sums over a chunk.
template <class C>
struct LambSquares {
  C of_parameter, of_direction;
};

// `squares` holds table.chunks.chunks() entries.
template <class C>
cudaError_t launch_lamb_moments(const LambTable<C>& table, const LambRule<C>& rule,
                                const LambNumbers* numbers, LambSquares<C>* squares,
                                cudaStream_t stream);

template <class C>
cudaError_t launch_lamb_norms(const ChunkTable& chunks, const LambSquares<C>* squares,
                              double* of_parameters, double* of_directions, cudaStream_t stream);

// Norms of the tensors of a launch. Null: the step is without trust ratios.
struct LambNorms {
  const double *of_parameters, *of_directions;

  // The ratio is 1 where either norm is zero: a fresh layer must start to move, and a layer without
  // gradient has no direction.
  __device__ double trust_ratio(unsigned tensor) const {
    if (!of_parameters) return 1;
    const double weights = of_parameters[tensor], updates = of_directions[tensor];
    return weights > 0 && updates > 0 ? weights / updates : 1;
  }
};

template <class C, class Copy>
cudaError_t launch_lamb_apply(const LambTable<C>& table, const LambRule<C>& rule,
                              const LambNumbers* numbers, const LambNorms& norms,
                              cudaStream_t stream);

}  // namespace scalemark::cuda
