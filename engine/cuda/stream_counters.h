// Counters in device memory, one set for each stream, since kernels of two streams may run at once.
// They are 0 from the start, and each kernel that counts leaves them at 0: nothing is allocated,
// filled or waited for, so that steps which use them can be captured.
#pragma once

#include <cuda_runtime_api.h>

namespace scalemark::cuda {

constexpr unsigned kCountersOfStream = 1024;

// Of `stream` on the current device. Throws when more streams ask than there is room for.
unsigned* counters_of(cudaStream_t stream);

}  // namespace scalemark::cuda
