#include "engine/cuda/operators.h"

#include <torch/library.h>

#include "engine/cuda/lamb/operators.h"
#include "engine/cuda/layer_passes.h"

TORCH_LIBRARY_IMPL(scalemark, CUDA, library) {
  scalemark::cuda::register_layer_passes<scalemark::cuda::Runtime>(library);
  scalemark::cuda::register_lamb_operators<scalemark::cuda::Runtime>(library);
}
