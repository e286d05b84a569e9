// The operators of engine/training/lamb_operators.h on CUDA: on the current stream, without a wait,
// and such that a CUDA graph may capture them.
#include "engine/cuda/lamb/operators.h"

#include <torch/library.h>

#include "engine/cuda/runtime.h"

TORCH_LIBRARY_IMPL(scalemark, CUDA, library) {
  scalemark::cuda::register_lamb_operators<scalemark::cuda::Runtime>(library);
}
