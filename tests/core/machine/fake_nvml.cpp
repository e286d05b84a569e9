// A stand-in for libnvidia-ml.so.1 with two GPUs. Built in variants:
//   FAKE_NVML_OLD      lacks the optional functions that an old driver lacks
//   FAKE_NVML_BROKEN   does not start ("Driver/library version mismatch")
//   FAKE_NVML_EMPTY    has none of NVML's functions
//   FAKE_NVML_MIG      GPU 0 is in MIG mode and has two instances, at the indices 0 and 2 of 3
//   (none)             everything; GPU 1 does not report its serial and its power limit fails
// FAKE_NVML_REASONS (a number: bits of what holds the clocks down) and FAKE_NVML_PROCESSES in the
// environment are read at each call, as is FAKE_NVML_HEALTH: the index of a GPU, and by how much
// its counters are above the others': "0,ecc_uncorrected=2,xid=79". "xid" is the number of one
// event that each event set gets.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef FAKE_NVML_EMPTY
namespace {
constexpr int kOk = 0, kNotSupported = 3, kNotFound = 6, kUnknown = 999, kMismatch = 18;
constexpr long kFirstInstance = 101;
long number_of(void* device) { return reinterpret_cast<long>(device); }
int index_of(void* device) { return static_cast<int>(number_of(device)) - 1; }
unsigned long long from_environment(const char* name, unsigned long long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}
unsigned long long above_others(void* device, const char* counter) {
  const char* text = std::getenv("FAKE_NVML_HEALTH");
  if (!text || std::atoi(text) != index_of(device)) return 0;
  const std::string wanted = std::string(",") + counter + "=";
  const char* found = std::strstr(text, wanted.c_str());
  return found ? std::strtoull(found + wanted.size(), nullptr, 0) : 0;
}
bool is_instance(void* device) { return number_of(device) >= kFirstInstance; }
}  // namespace

extern "C" {
int nvmlInit_v2() {
#ifdef FAKE_NVML_BROKEN
  return kMismatch;
#else
  return kOk;
#endif
}
int nvmlShutdown() { return kOk; }
const char* nvmlErrorString(int code) {
  return code == kMismatch ? "Driver/library version mismatch" : "Unknown Error";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return kOk;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(static_cast<long>(index) + 1);
  return kOk;
}
#ifndef FAKE_NVML_OLD
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  const bool is_second = std::strcmp(uuid, "GPU-bbbb-1111") == 0;
  if (!is_second && std::strcmp(uuid, "GPU-aaaa-0000") != 0) return kUnknown;
  *device = reinterpret_cast<void*>(is_second ? 2L : 1L);
  return kOk;
}
#ifdef FAKE_NVML_MIG
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  *current = *pending = index_of(device) == 0;
  return kOk;
}
int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) {
  *count = 3;
  return kOk;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** device) {
  if (index == 1) return kNotFound;
  *device = reinterpret_cast<void*>(kFirstInstance + index);
  return kOk;
}
#endif
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* mJ) {
  static unsigned long long total = 0;
  *mJ = total += 1500;  // 1.5 J are used between any two calls
  return kOk;
}
#endif
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "580.65.06");
  return kOk;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  std::snprintf(text, size, "NVIDIA H100 80GB HBM3%s", is_instance(device) ? " MIG 1g.10gb" : "");
  return kOk;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  if (is_instance(device)) {
    std::snprintf(text, size, "MIG-cccc-%ld", number_of(device) - kFirstInstance);
    return kOk;
  }
  std::snprintf(text, size, index_of(device) == 0 ? "GPU-aaaa-0000" : "GPU-bbbb-1111");
  return kOk;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
  memory[0] = is_instance(device) ? 10737418240ULL : 85899345920ULL;
  memory[1] = memory[2] = 1;
  return kOk;
}
#ifndef FAKE_NVML_OLD
int nvmlDeviceGetSerial(void* device, char* text, unsigned size) {
  if (index_of(device) == 1) return kNotSupported;
  std::snprintf(text, size, "1320220001234");
  return kOk;
}
struct Pci {
  char legacy[16];
  unsigned numbers[5];
  char bus_id[32];
};
int nvmlDeviceGetPciInfo_v3(void* device, Pci* pci) {
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", 0x4e + index_of(device));
  return kOk;
}
int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return kOk;
}
int nvmlDeviceGetMaxClockInfo(void*, unsigned type, unsigned* clock) {
  *clock = type == 1 ? 1980 : 2619;
  return kOk;
}
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* mW) {
  if (index_of(device) == 1) return kUnknown;
  *mW = 700000;
  return kOk;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 5;
  return kOk;
}
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* width) {
  *width = 16;
  return kOk;
}
int nvmlDeviceGetClockInfo(void*, unsigned type, unsigned* MHz) {
  *MHz = type == 1 ? 1755 : 2619;
  return kOk;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* C) {
  *C = 61;
  return sensor == 0 ? kOk : kNotSupported;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* mW) {
  *mW = 650500;
  return kOk;
}
struct Used {
  unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(void* device, Used* used) {
  *used = {97, 40};
  return index_of(device) == 0 ? kOk : kNotSupported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = from_environment("FAKE_NVML_REASONS", 0x4);  // a power cap
  return kOk;
}
struct Violation {
  unsigned long long reference_us, violation_ns;
};
int nvmlDeviceGetViolationStatus(void*, int policy, Violation* time) {
  static unsigned long long power = 0;
  if (policy == 3) return kNotSupported;
  *time = {1, policy == 0 ? power += 1000000 : 0};  // power holds it back 1 ms between two reads
  return kOk;
}
// Corrected ones since the driver was loaded grow by one with each read; none are kept of those
// since the board was made.
int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter, unsigned long long* errors) {
  static unsigned long long corrected = 5;
  if (type == 0) {
    *errors = corrected++;
    return counter == 0 ? kOk : kNotSupported;
  }
  *errors = above_others(device, "ecc_uncorrected") + (counter == 1 ? 7 : 0);
  return kOk;
}
int nvmlDeviceGetRemappedRows(void* device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
  *corrected = 1;
  *uncorrected = static_cast<unsigned>(above_others(device, "rows"));
  *pending = static_cast<unsigned>(above_others(device, "pending"));
  *failed = 0;
  return kOk;
}
int nvmlDeviceGetNvLinkErrorCounter(void* device, unsigned link, int counter,
                                    unsigned long long* errors) {
  if (link >= 17) return kNotSupported;
  *errors = link == 3 && counter == 0   ? above_others(device, "nvlink_replays")
            : link == 4 && counter >= 2 ? 10
                                        : 0;
  return kOk;
}
int nvmlDeviceGetPcieReplayCounter(void* device, unsigned* count) {
  *count = 4 + static_cast<unsigned>(above_others(device, "pcie_replays"));
  return kOk;
}
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 5;
  return kOk;
}
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* width) {
  *width = 16;
  return kOk;
}
struct EventSet {
  void* device;
  bool reported;
};
struct EventData {
  void* device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
int nvmlEventSetCreate(EventSet** set) {
  *set = new EventSet{nullptr, false};
  return kOk;
}
int nvmlDeviceRegisterEvents(void* device, unsigned long long types, EventSet* set) {
  set->device = device;
  return types == 8 ? kOk : kNotSupported;
}
int nvmlEventSetWait_v2(EventSet* set, EventData* event, unsigned) {
  const auto xid = above_others(set->device, "xid");
  if (xid == 0 || set->reported) return 10;  // NVML_ERROR_TIMEOUT
  set->reported = true;
  *event = {set->device, 8, xid, 0, 0};
  return kOk;
}
int nvmlEventSetFree(EventSet* set) {
  delete set;
  return kOk;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void*) {
  const auto running = static_cast<unsigned>(from_environment("FAKE_NVML_PROCESSES", 1));
  const bool fits = *count >= running;
  *count = running;
  return fits ? kOk : 7;  // NVML_ERROR_INSUFFICIENT_SIZE
}
int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* on) {
  *on = link < 17;  // one of 18 is down
  return kOk;
}
#endif
}
#endif
