#include "core/monitoring/nvml_library.h"

#include <dlfcn.h>

namespace scalemark::monitoring::nvml {
namespace {

template <class F>
void find(void* handle, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(dlsym(handle, symbol));
}

Functions find_all(void* handle) {
  Functions f;
  find(handle, "nvmlInit_v2", f.init);
  find(handle, "nvmlShutdown", f.shutdown);
  find(handle, "nvmlErrorString", f.error_string);
  find(handle, "nvmlDeviceGetCount_v2", f.device_count);
  find(handle, "nvmlDeviceGetHandleByIndex_v2", f.device_by_index);
  find(handle, "nvmlSystemGetDriverVersion", f.driver_version);
  find(handle, "nvmlDeviceGetName", f.name);
  find(handle, "nvmlDeviceGetUUID", f.uuid);
  find(handle, "nvmlDeviceGetSerial", f.serial);
  find(handle, "nvmlDeviceGetPciInfo_v3", f.pci_info);
  find(handle, "nvmlDeviceGetMemoryInfo", f.memory_info);
  find(handle, "nvmlDeviceGetCudaComputeCapability", f.compute_capability);
  find(handle, "nvmlDeviceGetMaxClockInfo", f.max_clock);
  find(handle, "nvmlDeviceGetEnforcedPowerLimit", f.power_limit);
  find(handle, "nvmlDeviceGetCurrPcieLinkGeneration", f.pcie_generation);
  find(handle, "nvmlDeviceGetCurrPcieLinkWidth", f.pcie_width);
  find(handle, "nvmlDeviceGetHandleByUUID", f.device_by_uuid);
  find(handle, "nvmlDeviceGetTotalEnergyConsumption", f.total_energy);
  find(handle, "nvmlDeviceGetNvLinkState", f.nvlink_state);
  return f;
}

const char* first_missing(const Functions& f) {
  if (!f.init) return "nvmlInit_v2";
  if (!f.shutdown) return "nvmlShutdown";
  if (!f.device_count) return "nvmlDeviceGetCount_v2";
  if (!f.device_by_index) return "nvmlDeviceGetHandleByIndex_v2";
  return nullptr;
}

}  // namespace

std::unique_ptr<Library> Library::open(const std::string& file, std::string& why) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    why = std::string("no NVIDIA driver library: ") + (reason ? reason : file.c_str());
    return nullptr;
  }
  std::unique_ptr<Library> library(new Library(handle, find_all(handle)));
  if (const char* missing = first_missing(library->functions_)) {
    why = file + " has no " + missing + ": the driver is too old or the library is not NVML";
    return nullptr;
  }
  if (const Return code = library->functions_.init(); code != kSuccess) {
    why = "NVML does not start: " + library->text_of(code);
    return nullptr;
  }
  library->started_ = true;
  return library;
}

Library::~Library() {
  if (started_) functions_.shutdown();
  dlclose(handle_);
}

std::string Library::text_of(Return code) const {
  const char* text = functions_.error_string ? functions_.error_string(code) : nullptr;
  return text ? text : "NVML error " + std::to_string(code);
}

}  // namespace scalemark::monitoring::nvml
