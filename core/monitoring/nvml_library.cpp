#include "core/monitoring/nvml_library.h"

#include <dlfcn.h>

#include <utility>

#include "core/monitoring/driver_library.h"

namespace scalemark::monitoring::nvml {
namespace {

template <class F>
void find(void* handle, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(dlsym(handle, symbol));
}

// The first of two names, newest first, that the library has.
template <class F>
void find(void* handle, const char* symbol, const char* older, F*& function) {
  find(handle, symbol, function);
  if (!function) find(handle, older, function);
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
  find(handle, "nvmlDeviceGetClockInfo", f.clock);
  find(handle, "nvmlDeviceGetTemperature", f.temperature);
  find(handle, "nvmlDeviceGetPowerUsage", f.power);
  find(handle, "nvmlDeviceGetUtilizationRates", f.utilization);
  find(handle, "nvmlDeviceGetCurrentClocksEventReasons",
       "nvmlDeviceGetCurrentClocksThrottleReasons", f.clock_reasons);
  find(handle, "nvmlDeviceGetViolationStatus", f.violation);
  find(handle, "nvmlDeviceGetTotalEccErrors", f.ecc_errors);
  find(handle, "nvmlDeviceGetRemappedRows", f.remapped_rows);
  find(handle, "nvmlDeviceGetNvLinkErrorCounter", f.nvlink_errors);
  find(handle, "nvmlDeviceGetPcieReplayCounter", f.pcie_replays);
  find(handle, "nvmlDeviceGetMaxPcieLinkGeneration", f.most_pcie_generation);
  find(handle, "nvmlDeviceGetMaxPcieLinkWidth", f.most_pcie_width);
  find(handle, "nvmlEventSetCreate", f.event_set_create);
  find(handle, "nvmlEventSetFree", f.event_set_free);
  find(handle, "nvmlDeviceRegisterEvents", f.register_events);
  find(handle, "nvmlEventSetWait_v2", "nvmlEventSetWait", f.event_set_wait);
  find(handle, "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses",
       f.compute_processes);
  find(handle, "nvmlDeviceGetMigMode", f.mig_mode);
  find(handle, "nvmlDeviceGetMaxMigDeviceCount", f.most_mig_instances);
  find(handle, "nvmlDeviceGetMigDeviceHandleByIndex", f.mig_instance);
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

bool is_in_mig_mode(const Functions& call, Device device) {
  unsigned current = 0, pending = 0;
  return call.mig_mode && call.mig_mode(device, &current, &pending) == kSuccess && current == 1;
}

std::optional<double> held_back_s(const Functions& call, Device device, int policy) {
  const auto time = answered<ViolationTime>(call.violation, device, policy);
  return time ? std::optional(1e-9 * static_cast<double>(time->violation_ns)) : std::nullopt;
}

std::unique_ptr<Library> Library::open(const std::string& file, std::string& why) {
  void* handle = open_driver_library(file, why);
  if (!handle) return nullptr;
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

OpenDevice open_device(const std::string& uuid, const std::string& file) {
  std::string why;
  auto library = Library::open(file, why);
  if (!library) return {};
  const auto device = answered<Device>(library->call().device_by_uuid, uuid.c_str());
  if (!device || is_in_mig_mode(library->call(), *device)) return {};
  return {std::move(library), *device};
}

}  // namespace scalemark::monitoring::nvml
