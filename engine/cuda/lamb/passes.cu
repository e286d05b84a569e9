#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "engine/cuda/lamb/passes.cuh"

namespace scalemark::cuda {

template cudaError_t launch_lamb_numbers(const LambStep&, LambNumbers*, cudaStream_t);
template cudaError_t launch_lamb_moments(const LambTable<float>&, const LambRule<float>&,
                                         const LambNumbers*, LambSquares<float>*, cudaStream_t);
template cudaError_t launch_lamb_norms(const ChunkTable&, const LambSquares<float>*, double*,
                                       double*, cudaStream_t);

#define SCALEMARK_APPLY(Copy)                                                                     \
  template cudaError_t launch_lamb_apply<float, Copy>(const LambTable<float>&,                    \
                                                      const LambRule<float>&, const LambNumbers*, \
                                                      const LambNorms&, cudaStream_t);
SCALEMARK_APPLY(float)
SCALEMARK_APPLY(__half)
SCALEMARK_APPLY(__nv_bfloat16)

}  // namespace scalemark::cuda
