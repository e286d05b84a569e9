#include "core/monitoring/cuda_driver.h"

#include <dlfcn.h>

#include <array>
#include <optional>

#include "core/monitoring/driver_library.h"
#include "core/monitoring/gpu_uuid.h"

namespace scalemark::monitoring {
namespace {

// The part of CUDA's driver interface that we call (docs.nvidia.com/cuda/cuda-driver-api). Device
// and result are ints there, 0 is success.
constexpr int kComputeMajor = 75, kComputeMinor = 76;  // CUdevice_attribute
using Uuid = std::array<unsigned char, 16>;

struct Calls {
  int (*init)(unsigned) = nullptr;
  int (*count)(int*) = nullptr;
  int (*device)(int*, int) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
  int (*memory)(std::size_t*, int) = nullptr;
  int (*uuid)(Uuid*, int) = nullptr;
};

template <class F>
bool find(void* handle, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(dlsym(handle, symbol));
  return function != nullptr;
}

std::optional<Calls> find_all(void* handle) {
  Calls call;
  const bool all =
      find(handle, "cuInit", call.init) && find(handle, "cuDeviceGetCount", call.count) &&
      find(handle, "cuDeviceGet", call.device) && find(handle, "cuDeviceGetName", call.name) &&
      find(handle, "cuDeviceGetAttribute", call.attribute) &&
      find(handle, "cuDeviceTotalMem_v2", call.memory) &&
      find(handle, "cuDeviceGetUuid_v2", call.uuid);
  return all ? std::optional(call) : std::nullopt;
}

Gpu read_gpu(const Calls& call, int index) {
  Gpu gpu;
  gpu.index = index;
  int device = 0;
  if (call.device(&device, index) != 0) return gpu;
  char name[128] = {};
  if (call.name(name, sizeof name - 1, device) == 0) gpu.name = name;
  Uuid uuid{};
  if (call.uuid(&uuid, device) == 0) gpu.uuid = gpu_uuid(uuid);
  std::size_t bytes = 0;
  if (call.memory(&bytes, device) == 0) gpu.memory_bytes = bytes;
  int major = 0, minor = 0;
  if (call.attribute(&major, kComputeMajor, device) == 0 &&
      call.attribute(&minor, kComputeMinor, device) == 0) {
    gpu.compute_major = major;
    gpu.compute_minor = minor;
  }
  return gpu;
}

}  // namespace

// The library stays open: a started driver must not be unloaded while other code uses CUDA.
GpuSurvey survey_through_cuda(const std::string& library) {
  GpuSurvey survey{.visible_only = true};
  void* handle = open_driver_library(library, survey.note);
  if (!handle) return survey;
  const auto call = find_all(handle);
  int count = 0;
  if (!call) {
    survey.note = library + " is too old or not CUDA's driver";
  } else if (const int code = call->init(0); code != 0) {
    survey.note = "the CUDA driver does not start: error " + std::to_string(code);
  } else if (const int failed = call->count(&count); failed != 0) {
    survey.note =
        "the CUDA driver does not report its number of GPUs: error " + std::to_string(failed);
  }
  for (int i = 0; i < count; ++i) survey.gpus.push_back(read_gpu(*call, i));
  return survey;
}

}  // namespace scalemark::monitoring
