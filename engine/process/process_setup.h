// One rank's process needs this before its first tensor: torch's CUDA libraries, compute threads,
// allocator, determinism. The seed is each trainer's.
#pragma once

#include "engine/process/run_request.h"

namespace scalemark::process {

// Call once, before any tensor exists and before anything else is asked of torch: for a GPU its
// CUDA libraries come in first (engine/device/torch_cuda.h, which also says what is thrown); for a
// CPU never. Sets the number of compute threads (OMP_NUM_THREADS is never obeyed: --threads alone
// rules, docs/METRICS.md) and lets freed memory be kept, by our allocator for tensors and by glibc
// for oneDNN's scratch memory: a training step frees and asks again for the same large blocks,
// whose pages would else be faulted in anew each time (docs/DEPENDENCIES.md, "glibc malloc").
// Warnings of torch's C++ code are kept off stderr unless TORCH_CPP_LOG_LEVEL is set: c10d warns,
// with a backtrace on every rank, of each lost peer that our own error line already names.
void set_up_process(const ProcessSettings& settings);

// The part that may differ from point to point: threads, determinism.
void apply_compute_settings(const ComputeSettings& settings);

}  // namespace scalemark::process
