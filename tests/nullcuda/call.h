// How every function of the runtime is entered: under the null device's one lock, refused once the
// device is broken, its error remembered for cudaGetLastError.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>
#include <string>

#include "api.h"

namespace nullcuda {

using Guard = std::lock_guard<std::recursive_mutex>;
std::recursive_mutex& lock();

// cudaSuccess until a kernel has failed; then its error, for ever.
cudaError_t sticky_error();
void break_device(cudaError_t error);

// Passes `error` on; failures are kept for this thread's next cudaGetLastError.
cudaError_t remembered(cudaError_t error);
cudaError_t last_error(bool forget);

// Something that no correct program does. Printed, and listed in the counts.
void report_violation(const std::string& what);

template <class Body>
cudaError_t call(Body&& body) {
  const Guard guard(lock());
  const cudaError_t broken = sticky_error();
  return remembered(broken == cudaSuccess ? body() : broken);
}

}  // namespace nullcuda
