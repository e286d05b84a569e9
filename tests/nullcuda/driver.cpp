// The CUDA driver: what torch asks of it directly. Everything else that is asked for by name is
// refused when it is called.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <string>
#include <utility>

#include "call.h"
#include "devices.h"
#include "refuse.h"
#include "settings.h"

namespace nullcuda {
namespace {

constexpr std::size_t kMostRefused = 128;
std::array<std::string, kMostRefused> refused_names;
std::size_t refused = 0;

template <std::size_t I>
int refuse_one() {
  nullcuda_refuse(refused_names[I].c_str());
}

template <std::size_t... I>
constexpr std::array<int (*)(), kMostRefused> refusals(std::index_sequence<I...>) {
  return {&refuse_one<I>...};
}

// A function that carries its name: it can be looked up, not called.
void* refusal_of(const std::string& name) {
  static constexpr auto kFunctions = refusals(std::make_index_sequence<kMostRefused>());
  for (std::size_t i = 0; i < refused; ++i) {
    if (refused_names[i] == name) return reinterpret_cast<void*>(kFunctions[i]);
  }
  if (refused == kMostRefused) refuse("too many driver functions are looked up");
  refused_names[refused] = name;
  return reinterpret_cast<void*>(kFunctions[refused++]);
}

cudaError_t find_entry_point(const char* name, void** function,
                             cudaDriverEntryPointQueryResult* result) {
  *function = dlsym(RTLD_DEFAULT, name);
  if (!*function) *function = refusal_of(name);
  if (result) *result = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

int primary_context;

}  // namespace
}  // namespace nullcuda

using namespace nullcuda;

NULLCUDA_API cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                                          unsigned, unsigned long long,
                                                          cudaDriverEntryPointQueryResult* result) {
  return call([&] { return find_entry_point(name, function, result); });
}

NULLCUDA_API CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
NULLCUDA_API CUresult cuDriverGetVersion(int* version) {
  *version = settings().driver_version;
  return CUDA_SUCCESS;
}
NULLCUDA_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
// Features of the driver's own memory management: none.
NULLCUDA_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute, CUdevice) {
  *value = 0;
  return CUDA_SUCCESS;
}
NULLCUDA_API CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "an error of the null device";
  return CUDA_SUCCESS;
}
NULLCUDA_API CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(&primary_context);
  return CUDA_SUCCESS;
}
NULLCUDA_API CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
NULLCUDA_API CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return CUDA_SUCCESS;
}
NULLCUDA_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return cuCtxGetCurrent(context);
}
