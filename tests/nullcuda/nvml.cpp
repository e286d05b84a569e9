// Stands in for libnvidia-ml.so.1: the same devices, by the same names, as the null CUDA runtime's.
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "api.h"
#include "core/machine/driver_library.h"
#include "identity.h"
#include "settings.h"

using namespace nullcuda;
using scalemark::monitoring::nvml::EventData;
using scalemark::monitoring::nvml::kSuccess;
using scalemark::monitoring::nvml::Memory;
using scalemark::monitoring::nvml::PciInfo;

namespace {

constexpr int kNotFound = 6, kNotSupported = 3, kTimeout = 10;  // nvmlReturn_t
constexpr unsigned kLinks = 4;

int index_of(void* device) { return static_cast<int>(reinterpret_cast<long>(device)) - 1; }
void* device_of(int index) { return reinterpret_cast<void*>(static_cast<long>(index) + 1); }

template <class Text>
int find(const char* wanted, void** device, Text text_of) {
  for (int i = 0; i < settings().devices; ++i) {
    if (text_of(i) != wanted) continue;
    *device = device_of(i);
    return kSuccess;
  }
  return kNotFound;
}

int put(char* text, unsigned size, const std::string& value) {
  std::snprintf(text, size, "%s", value.c_str());
  return kSuccess;
}

int put(unsigned* number, unsigned value) {
  *number = value;
  return kSuccess;
}

// Returns 0 at a process's first reading, then what NULLCUDA_HEALTH says. Threads may read at once.
// A counter that the sampler reads, too, at any time, grows with the first reading of one that it
// does not read: `with`.
std::uint64_t grown(void* device, const char* counter, const char* with = nullptr) {
  static std::mutex mutex;
  static std::map<std::pair<void*, std::string>, bool> looked;
  const std::lock_guard lock(mutex);
  const bool again = with ? looked[{device, with}] : std::exchange(looked[{device, counter}], true);
  const auto growth = settings().growth.find(counter);
  const bool grows = index_of(device) == settings().growing_device;
  return again && grows && growth != settings().growth.end() ? growth->second : 0;
}

struct Events {
  void* device = nullptr;
  bool reported = false;
};

bool reports_health() { return settings().growing_device.has_value(); }

}  // namespace

NULLCUDA_API int nvmlInit_v2() { return kSuccess; }
NULLCUDA_API int nvmlShutdown() { return kSuccess; }
NULLCUDA_API const char* nvmlErrorString(int) { return "an error of the null device"; }
NULLCUDA_API int nvmlDeviceGetCount_v2(unsigned* count) {
  return put(count, static_cast<unsigned>(settings().devices));
}
NULLCUDA_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = device_of(static_cast<int>(index));
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  return find(uuid, device, uuid_text);
}
NULLCUDA_API int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  const std::string wanted = bus_id;  // its domain has four or eight digits
  return find(wanted.c_str(), device, [&](int i) {
    const std::string whole = pci_bus_id(i);
    return wanted.size() < whole.size() ? whole.substr(whole.size() - wanted.size()) : whole;
  });
}
NULLCUDA_API int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return put(text, size, "580.65.06");
}
NULLCUDA_API int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = settings().driver_version;
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetName(void*, char* text, unsigned size) {
  return put(text, size, kDeviceName);
}
NULLCUDA_API int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  return put(text, size, uuid_text(index_of(device)));
}
NULLCUDA_API int nvmlDeviceGetSerial(void* device, char* text, unsigned size) {
  return put(text, size, "165000000000" + std::to_string(index_of(device)));
}
NULLCUDA_API int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* pci) {
  std::memset(pci, 0, sizeof *pci);
  return put(pci->bus_id, sizeof pci->bus_id, pci_bus_id(index_of(device)));
}
NULLCUDA_API int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  *memory = {settings().memory_bytes, settings().memory_bytes, 0};
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
  *major = settings().compute_major;
  *minor = settings().compute_minor;
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetMaxClockInfo(void*, unsigned type, unsigned* clock) {
  return put(clock, type == scalemark::monitoring::nvml::kClockSm ? 1980 : 3201);
}
NULLCUDA_API int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* mW) { return put(mW, 700000); }
NULLCUDA_API int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  return put(generation, 5);
}
NULLCUDA_API int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* width) { return put(width, 16); }
NULLCUDA_API int nvmlDeviceGetClockInfo(void*, unsigned type, unsigned* MHz) {
  return put(MHz, type == scalemark::monitoring::nvml::kClockSm ? 1980 : 3201);
}
NULLCUDA_API int nvmlDeviceGetTemperature(void*, int, unsigned* C) { return put(C, 40); }
NULLCUDA_API int nvmlDeviceGetPowerUsage(void*, unsigned* mW) { return put(mW, 300000); }
NULLCUDA_API int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = 0;
  return kSuccess;
}
// Pretends that 1.5 J were used between any two calls.
NULLCUDA_API int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* mJ) {
  static unsigned long long total = 0;
  *mJ = total += 1500;
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter,
                                             unsigned long long* errors) {
  if (!reports_health() || counter != 0) return kNotSupported;
  *errors = type == 1 ? grown(device, "ecc_uncorrected", "rows_remapped") : 0;
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetRemappedRows(void* device, unsigned* corrected, unsigned* uncorrected,
                                           unsigned* pending, unsigned* failed) {
  if (!reports_health()) return kNotSupported;
  *corrected = *failed = 0;
  *uncorrected = *pending = static_cast<unsigned>(grown(device, "rows_remapped"));
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetNvLinkErrorCounter(void* device, unsigned link, int counter,
                                                 unsigned long long* errors) {
  if (!reports_health() || link >= kLinks) return kNotSupported;
  *errors = link == 1 && counter == 0 ? grown(device, "nvlink_replays") : 0;
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* width) { return put(width, 16); }
NULLCUDA_API int nvmlEventSetCreate(Events** set) {
  if (!reports_health()) return kNotSupported;
  *set = new Events;
  return kSuccess;
}
NULLCUDA_API int nvmlEventSetFree(Events* set) {
  delete set;
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceRegisterEvents(void* device, unsigned long long, Events* set) {
  set->device = device;
  return kSuccess;
}
NULLCUDA_API int nvmlEventSetWait_v2(Events* set, EventData* event, unsigned) {
  const std::uint64_t xid = set->reported ? 0 : grown(set->device, "xid", "rows_remapped");
  if (xid == 0) return kTimeout;
  set->reported = true;
  *event = {};
  event->type = scalemark::monitoring::nvml::kXidEvents;
  event->data = xid;
  return kSuccess;
}
NULLCUDA_API int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* on) {
  return put(on, reports_health() && link < kLinks ? 1 : 0);
}
NULLCUDA_API int nvmlDeviceGetNvLinkRemoteDeviceType(void*, unsigned, int*) {
  return kNotSupported;
}
NULLCUDA_API int nvmlDeviceGetNvLinkRemotePciInfo_v2(void*, unsigned, void*) {
  return kNotSupported;
}
NULLCUDA_API int nvmlDeviceGetComputeRunningProcesses(void*, unsigned* count, void*) {
  return put(count, 0);
}
