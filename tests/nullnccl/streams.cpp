#include "tests/nullnccl/streams.h"

#include <dlfcn.h>

namespace nullnccl {
namespace {

template <class Function>
Function find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void* hold(cudaStream_t stream) {
  static const auto function = find<void* (*)(void*)>("nullcuda_stream_hold");
  return function != nullptr ? function(stream) : nullptr;
}

void release(void* held) {
  static const auto function = find<void (*)(void*)>("nullcuda_stream_release");
  if (function != nullptr) function(held);
}

bool capture(cudaStream_t stream, const char* name) {
  static const auto function = find<int (*)(void*, const char*)>("nullcuda_capture");
  return function != nullptr && function(stream, name) != 0;
}

void* host_view(const void* address) {
  static const auto function = find<void* (*)(const void*)>("nullcuda_host_view");
  if (function != nullptr && address != nullptr) return function(address);
  return const_cast<void*>(address);
}

std::string current_gpu() {
  const auto get_device = find<cudaError_t (*)(int*)>("cudaGetDevice");
  const auto get_bus_id = find<cudaError_t (*)(char*, int, int)>("cudaDeviceGetPCIBusId");
  int device = 0;
  char bus_id[32] = {};
  if (get_device == nullptr || get_bus_id == nullptr) return {};
  if (get_device(&device) != cudaSuccess) return {};
  return get_bus_id(bus_id, sizeof bus_id, device) == cudaSuccess ? bus_id : "";
}

}  // namespace nullnccl
