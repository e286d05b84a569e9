#include "devices.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "call.h"
#include "settings.h"

namespace nullcuda {
namespace {

thread_local int device_of_thread = 0;

int index_named(const std::string& name) {
  for (int i = 0; i < settings().devices; ++i) {
    if (name == std::to_string(i)) return i;
    if (name.size() > 4 && uuid_text(i).starts_with(name)) return i;
  }
  return -1;
}

// Cut at the first name that is none, as CUDA does.
std::vector<int> read_visible() {
  std::vector<int> visible;
  const char* chosen = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!chosen) {
    for (int i = 0; i < settings().devices; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream list(chosen);
  for (std::string name; std::getline(list, name, ',');) {
    const int index = index_named(name);
    if (index < 0) break;
    visible.push_back(index);
  }
  return visible;
}

int count() { return static_cast<int>(visible_devices().size()); }

void fill_limits(cudaDeviceProp& p) {
  p.multiProcessorCount = 132;
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.sharedMemPerBlock = 49152;
  p.sharedMemPerBlockOptin = 232448;
  p.sharedMemPerMultiprocessor = 233472;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.l2CacheSize = 60 << 20;
  p.textureAlignment = p.texturePitchAlignment = 512;
  p.canMapHostMemory = p.unifiedAddressing = p.concurrentKernels = p.ECCEnabled = 1;
  p.asyncEngineCount = 3;
}

cudaDeviceProp properties_of(int index) {
  cudaDeviceProp p;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s", kDeviceName);
  const Uuid uuid = uuid_of(index);
  std::memcpy(p.uuid.bytes, uuid.data(), uuid.size());
  p.major = settings().compute_major;
  p.minor = settings().compute_minor;
  p.totalGlobalMem = settings().memory_bytes;
  p.pciBusID = 0x10 + index;
  fill_limits(p);
  return p;
}

// This device lacks the features whose attributes are missing here.
int attribute(const cudaDeviceProp& p, cudaDeviceAttr which) {
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(p.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return p.maxBlocksPerMultiProcessor;
    case cudaDevAttrMaxRegistersPerBlock:
      return p.regsPerBlock;
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrMaxGridDimX:
      return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return p.maxGridSize[2];
    case cudaDevAttrL2CacheSize:
      return p.l2CacheSize;
    case cudaDevAttrUnifiedAddressing:
      return p.unifiedAddressing;
    case cudaDevAttrCooperativeLaunch:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

const std::vector<int>& visible_devices() {
  static const auto& value = *new std::vector<int>(read_visible());
  return value;
}

int current_device() { return device_of_thread; }

}  // namespace nullcuda

using namespace nullcuda;

NULLCUDA_API cudaError_t cudaDriverGetVersion(int* version) {
  *version = settings().driver_version;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaGetDeviceCount(int* number) {
  *number = count();
  return remembered(*number > 0 ? cudaSuccess : cudaErrorNoDevice);
}
NULLCUDA_API cudaError_t cudaGetDevice(int* device) {
  *device = device_of_thread;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= count()) return remembered(cudaErrorInvalidDevice);
  device_of_thread = device;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= count()) return remembered(cudaErrorInvalidDevice);
  *properties = properties_of(visible_devices()[static_cast<std::size_t>(device)]);
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  if (device < 0 || device >= count()) return remembered(cudaErrorInvalidDevice);
  *value = attribute(properties_of(device), which);
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  if (device < 0 || device >= count()) return remembered(cudaErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(length), "%s",
                pci_bus_id(visible_devices()[static_cast<std::size_t>(device)]).c_str() + 4);
  return cudaSuccess;
}
// Each GPU on its own: what travels between two of them goes through the host.
NULLCUDA_API cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
NULLCUDA_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
