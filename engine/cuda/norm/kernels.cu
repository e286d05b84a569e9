// Instantiates the kernels of batch norm that operators.h launches, and holds the counters by which
// a block knows that it is the last one.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "engine/cuda/norm/backward.cuh"
#include "engine/cuda/norm/forward.cuh"

namespace scalemark::cuda {

// Each device has its own copy, which is 0 when its code is loaded. It is in no unnamed namespace,
// since nvcc names those by this file's path: two checkouts would give two libraries.
__device__ unsigned norm_counters[kCounterSets][kNormCounters];

cudaError_t address_of_counters(void** first) { return cudaGetSymbolAddress(first, norm_counters); }

template cudaError_t launch_of_running(const NormNumbers<float>&, const float*, const float*,
                                       cudaStream_t);

#define SCALEMARK_NORM(Element)                                                                   \
  template cudaError_t launch_statistics(const StatisticsJob<Element>&, bool, cudaStream_t);      \
  template cudaError_t launch_normalise_channels(const NormaliseJob<Element>&, bool,              \
                                                 cudaStream_t);                                   \
  template cudaError_t launch_gradient_sums(const GradientSumsJob<Element>&, bool, cudaStream_t); \
  template cudaError_t launch_input_gradient(const InputGradientJob<Element>&, bool, bool,        \
                                             cudaStream_t);
SCALEMARK_NORM(float)
SCALEMARK_NORM(__half)
SCALEMARK_NORM(__nv_bfloat16)

}  // namespace scalemark::cuda
