#include "call.h"

#include <cstdio>

#include "violations.h"

namespace nullcuda {
namespace {

thread_local cudaError_t last = cudaSuccess;
cudaError_t sticky = cudaSuccess;

}  // namespace

std::recursive_mutex& lock() {
  static std::recursive_mutex& value = *new std::recursive_mutex;
  return value;
}

cudaError_t sticky_error() { return sticky; }
void break_device(cudaError_t error) { sticky = error; }

cudaError_t remembered(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

cudaError_t last_error(bool forget) {
  if (sticky != cudaSuccess) return sticky;
  const cudaError_t error = last;
  if (forget) last = cudaSuccess;
  return error;
}

std::map<std::string, std::uint64_t>& violations() {
  static auto& value = *new std::map<std::string, std::uint64_t>;
  return value;
}

void report_violation(const std::string& what) {
  if (violations()[what]++ == 0) std::fprintf(stderr, "nullcuda: %s\n", what.c_str());
}

}  // namespace nullcuda

NULLCUDA_API cudaError_t cudaGetLastError() { return nullcuda::last_error(/*forget=*/true); }
NULLCUDA_API cudaError_t cudaPeekAtLastError() { return nullcuda::last_error(/*forget=*/false); }
