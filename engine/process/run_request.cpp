#include "engine/process/run_request.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Logging.h>
#include <malloc.h>

#include <climits>
#include <cstdlib>

#include "core/base/error.h"
#include "engine/device/cpu_allocator.h"
#include "engine/device/cuda_plugin.h"
#include "engine/device/torch_defaults.h"
#include "engine/distributed/providers.h"

namespace scalemark::process {
namespace {

// These settings are best effort: an allocator in glibc's place (a sanitizer's, a preloaded one)
// may not know them.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);              // no block gets a mapping of its own
  mallopt(M_TRIM_THRESHOLD, INT_MAX);  // nothing is returned to the kernel
  mallopt(M_TOP_PAD, 64 << 20);        // the heap grows in large pieces
}

// Torch logs a store that nobody serves, or a peer that NCCL's watchdog has lost, as errors with
// backtraces; our own error says the same in one line.
void quieten_torch(bool on_gpu) {
  if (setenv("TORCH_CPP_LOG_LEVEL", "FATAL", /*overwrite=*/0) != 0) throw bug("setenv failed");
  c10::initLogging();  // reads the variable; plain C++ programs must call this
  // The profiler (--trace) reports an error that a CPU run has no GPU. On a GPU its errors are
  // real.
  if (!on_gpu && setenv("KINETO_LOG_LEVEL", "99", /*overwrite=*/0) != 0) throw bug("setenv failed");
}

}  // namespace

void set_up_process(const ProcessSettings& settings) {
  distributed::gloo_variables();  // sets some, which no other thread may read meanwhile
  const bool on_gpu = settings.device == settings::DeviceKind::kCuda;
  quieten_torch(on_gpu);
  if (on_gpu) device::load_torch_cuda(settings.general.torch);
  keep_freed_memory();
  device::cpu_allocator();
  apply_compute_settings(settings.compute);
}

void apply_compute_settings(const ComputeSettings& settings) {
  at::set_num_threads(settings.threads);
  const bool deterministic = settings.deterministic;
  at::globalContext().setDeterministicAlgorithms(deterministic, /*warn_only=*/false);
  at::globalContext().setDeterministicCuDNN(deterministic);
  at::globalContext().setBenchmarkCuDNN(!deterministic);
  // Deterministic algorithms would fill every new tensor before it is written: hundreds of passes
  // over memory per step, to protect reads of unwritten memory, which do not occur here.
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  device::pin_attention_order();
}

}  // namespace scalemark::process
