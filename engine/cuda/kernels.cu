// Instantiates the kernels for images and for a transformer's layers that the operators beside this
// file launch.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "engine/cuda/linear_layers.cuh"
#include "engine/cuda/normalise_images.cuh"
#include "engine/cuda/residual_norm.cuh"

namespace scalemark::cuda {

#define SCALEMARK_NORMALISE(Out)                                                     \
  template cudaError_t launch_normalise(const std::uint8_t*, Out*, std::int64_t,     \
                                        const workloads::PixelTable<Out>&, unsigned, \
                                        cudaStream_t);
SCALEMARK_NORMALISE(float)
SCALEMARK_NORMALISE(double)
SCALEMARK_NORMALISE(std::uint16_t)

#define SCALEMARK_LAYERS(X)                                                                     \
  template cudaError_t launch_residual_norm(const ResidualNorm<X>&, unsigned, cudaStream_t);    \
  template cudaError_t launch_residual_norm_gradient(const ResidualNormGradient<X>&, float*,    \
                                                     unsigned, cudaStream_t);                   \
  template cudaError_t launch_bias_gelu(const X*, const float*, X*, std::int64_t, std::int64_t, \
                                        unsigned, cudaStream_t);                                \
  template cudaError_t launch_bias_gelu_gradient(const X*, const X*, const float*, X*, float*,  \
                                                 float*, const Tiles&, cudaStream_t);           \
  template cudaError_t launch_pack_parameters(const ProjectionParameters<float>&, X*, X*,       \
                                              unsigned, cudaStream_t);                          \
  template cudaError_t launch_pack_gradients(const ProjectionGradients<X>&, X*, float*, float*, \
                                             const Tiles&, cudaStream_t);
SCALEMARK_LAYERS(float)
SCALEMARK_LAYERS(__half)
SCALEMARK_LAYERS(__nv_bfloat16)

}  // namespace scalemark::cuda
