// A stand-in for libnvidia-ml.so.1 with two GPUs. Built in variants:
//   FAKE_NVML_OLD      lacks the optional functions that an old driver lacks
//   FAKE_NVML_BROKEN   does not start ("Driver/library version mismatch")
//   FAKE_NVML_EMPTY    has none of NVML's functions
//   FAKE_NVML_MIG      GPU 0 is in MIG mode and has two instances, at the indices 0 and 2 of 3
//   (none)             everything; GPU 1 does not tell its serial and its power limit fails
#include <cstdio>
#include <cstring>

#ifndef FAKE_NVML_EMPTY
namespace {
constexpr int kOk = 0, kNotSupported = 3, kNotFound = 6, kUnknown = 999, kMismatch = 18;
constexpr long kFirstInstance = 101;
long number_of(void* device) { return reinterpret_cast<long>(device); }
int index_of(void* device) { return static_cast<int>(number_of(device)) - 1; }
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
  if (std::strcmp(uuid, "GPU-aaaa-0000") != 0) return kUnknown;
  *device = reinterpret_cast<void*>(1L);
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
  *mJ = total += 1500;  // as if 1.5 J were used between any two looks
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
int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* on) {
  *on = link < 17;  // one of 18 is down
  return kOk;
}
#endif
}
#endif
