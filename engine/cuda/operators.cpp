// The operators of workloads/layer_operators.h and of engine/training/lamb_passes.h on CUDA: on
// the current stream, without a wait, and such that a CUDA graph may capture them.
#include "engine/cuda/lamb/operators.h"

#include <torch/library.h>

#include "engine/cuda/layer_passes.h"
#include "engine/cuda/runtime.h"

TORCH_LIBRARY_IMPL(scalemark, CUDA, library) {
  scalemark::cuda::register_layer_passes<scalemark::cuda::Runtime>(library);
  scalemark::cuda::register_lamb_operators<scalemark::cuda::Runtime>(library);
}
