// Kernels: registered by name when a library is loaded, counted when they are launched, never run.
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>
#include <unordered_map>

#include "call.h"
#include "captures.h"
#include "memory.h"
#include "settings.h"
#include "streams.h"

namespace nullcuda {
namespace {

struct Registered {
  std::unordered_map<const void*, const char*> kernels;    // keys are the host's stand-ins
  std::unordered_map<const void*, std::size_t> variables;  // bytes, likewise
  std::unordered_map<const void*, void*> addresses;
};

Registered& registered() {
  static Registered& value = *new Registered;
  return value;
}

const char* name_of(const void* function) {
  const auto found = registered().kernels.find(function);
  return found == registered().kernels.end() ? nullptr : found->second;
}

constexpr unsigned kMostThreads = 1024, kMostBlocksYz = 65535;
constexpr std::size_t kMostSharedBytes = 232448;

bool is_empty(dim3 size) { return size.x == 0 || size.y == 0 || size.z == 0; }

cudaError_t launch(const void* function, dim3 grid, dim3 block, std::size_t shared_bytes,
                   cudaStream_t stream) {
  static std::uint64_t launches = 0;
  const char* name = name_of(function);
  if (!name) {
    report_violation("a launch of a function that is no kernel");
    return cudaErrorInvalidDeviceFunction;
  }
  Stream* found = find_stream(stream, "a kernel launch");
  if (!found) return cudaErrorInvalidResourceHandle;
  if (is_empty(grid) || is_empty(block)) {
    report_violation(std::string("empty grid: ") + name);
    return cudaErrorInvalidConfiguration;
  }
  if (block.x * block.y * block.z > kMostThreads || grid.y > kMostBlocksYz ||
      grid.z > kMostBlocksYz || shared_bytes > kMostSharedBytes) {
    report_violation(std::string("a grid beyond the device's limits: ") + name);
    return cudaErrorInvalidConfiguration;
  }
  if (note_work(*found, Kind::kLaunch, name)) return cudaSuccess;
  if (settings().launch.hits(++launches)) break_device(cudaErrorIllegalAddress);
  return cudaSuccess;  // a kernel that fails is found out by the next call
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};
thread_local Configuration pushed;

void* address_of(const void* variable) {
  Registered& all = registered();
  const auto size = all.variables.find(variable);
  if (size == all.variables.end()) return nullptr;
  void*& address = all.addresses[variable];
  if (!address) cudaMalloc(&address, size->second);
  return address;
}

}  // namespace
}  // namespace nullcuda

using namespace nullcuda;

// nvcc's code calls these when a library is loaded (crt/host_runtime.h).
NULLCUDA_API void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
NULLCUDA_API void __cudaRegisterFatBinaryEnd(void**) {}
NULLCUDA_API void __cudaUnregisterFatBinary(void**) {}
NULLCUDA_API char __cudaInitModule(void**) { return 1; }
NULLCUDA_API void __cudaRegisterFunction(void**, const char* host, char*, const char* device_name,
                                         int, void*, void*, void*, void*, int*) {
  const Guard guard(lock());
  registered().kernels[host] = device_name;
}
NULLCUDA_API void __cudaRegisterVar(void**, char* host, char*, const char*, int, std::size_t bytes,
                                    int, int) {
  const Guard guard(lock());
  registered().variables[host] = bytes;
}

// nvcc's code calls this when a kernel is launched with <<<>>>.
NULLCUDA_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                                  void* stream) {
  pushed = {grid, block, shared_bytes, static_cast<cudaStream_t>(stream)};
  return 0;
}
NULLCUDA_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                                    std::size_t* shared_bytes, void* stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *shared_bytes = pushed.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = pushed.stream;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
NULLCUDA_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void**,
                                            std::size_t shared_bytes, cudaStream_t stream) {
  return call([&] { return launch(kernel, grid, block, shared_bytes, stream); });
}

NULLCUDA_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void**,
                                          std::size_t shared_bytes, cudaStream_t stream) {
  return call([&] { return launch(function, grid, block, shared_bytes, stream); });
}
NULLCUDA_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                             void**) {
  return call([&] {
    return launch(function, config->gridDim, config->blockDim, config->dynamicSmemBytes,
                  config->stream);
  });
}
NULLCUDA_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                                     void**, std::size_t shared_bytes,
                                                     cudaStream_t stream) {
  return call([&] { return launch(function, grid, block, shared_bytes, stream); });
}

NULLCUDA_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  std::memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = kMostThreads;
  attributes->numRegs = 64;
  attributes->ptxVersion = attributes->binaryVersion =
      10 * settings().compute_major + settings().compute_minor;
  attributes->maxDynamicSharedSizeBytes = kMostSharedBytes;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void*, int threads, std::size_t, unsigned) {
  *blocks = threads > 0 ? 2048 / threads : 0;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                       const void* function,
                                                                       int threads,
                                                                       std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                shared_bytes, 0);
}

NULLCUDA_API cudaError_t cudaGetSymbolAddress(void** address, const void* variable) {
  return call([&] {
    *address = address_of(variable);
    return *address ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}
NULLCUDA_API cudaError_t cudaMemcpyToSymbol(const void* variable, const void* from,
                                            std::size_t bytes, std::size_t offset,
                                            cudaMemcpyKind kind) {
  return call([&] {
    void* address = address_of(variable);
    if (!address) return cudaErrorInvalidSymbol;
    return cudaMemcpy(static_cast<char*>(address) + offset, from, bytes, kind);
  });
}
