// What LAMB's passes need of a step beside its tensors. All of it is known to the device only: whether the gradient
// scaler skips the step, how many steps counted before. Knows no torch.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#include "engine/cuda/launch.cuh"

namespace scalemark::cuda {

// In device memory, a row of numbers.
struct LambNumbers {
  double counts;                            // 0: the step is skipped
  double per_divisor;                       // reciprocals, since the passes multiply
  double per_correction1, per_correction2;  // of 1 - beta1^t and sqrt(1 - beta2^t)
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
  DeviceNumber steps;      // that counted, with this one
  DeviceNumber found_inf;  // other than 0: this one does not count
  DeviceNumber divisor, rate;
  double beta1, beta2;
};

// By one thread, once per step: a power in double takes a GPU longer than a block needs for its first loads. A
// template, so that several units may include it.
template <class Step>
__global__ void lamb_numbers(const __grid_constant__ Step step, LambNumbers* numbers) {
  const double t = step.steps.value();
  numbers->counts = step.found_inf.value() == 0 ? 1 : 0;
  numbers->per_divisor = 1 / step.divisor.value();
  numbers->per_correction1 = 1 / (1 - std::pow(step.beta1, t));
  numbers->per_correction2 = 1 / std::sqrt(1 - std::pow(step.beta2, t));
  numbers->rate = step.rate.value();
}

inline cudaError_t launch_lamb_numbers(const LambStep& step, LambNumbers* numbers, cudaStream_t stream) {
  return launch(&lamb_numbers<LambStep>, 1, 1, stream, step, numbers);
}

}  // namespace scalemark::cuda
