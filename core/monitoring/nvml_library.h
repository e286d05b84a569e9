// The part of NVML's C interface that we call, declared here so that no header of NVIDIA's is
// needed to build. Signatures: NVML API Reference (docs.nvidia.com/deploy/nvml-api). Private to
// this module.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace scalemark::monitoring::nvml {

using Device = struct DeviceHandle*;
using EventSet = struct EventSetHandle*;
using Return = int;  // nvmlReturn_t; 0 is success
inline constexpr Return kSuccess = 0;
inline constexpr Return kNotSupported = 3;
inline constexpr unsigned kClockSm = 1, kClockMemory = 2;  // nvmlClockType_t
inline constexpr unsigned kMaxLinks = 18;                  // NVML_NVLINK_MAX_LINKS

struct PciInfo {  // nvmlPciInfo_t
  char legacy_bus_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};

struct Memory {  // nvmlMemory_t
  unsigned long long total, free, used;
};

struct Utilization {  // nvmlUtilization_t, percent
  unsigned gpu, memory;
};

struct ViolationTime {  // nvmlViolationTime_t
  unsigned long long reference_us, violation_ns;
};

struct EventData {  // nvmlEventData_t
  Device device;
  unsigned long long type, data;  // `data`: of kXidEvents the number of the error
  unsigned gpu_instance, compute_instance;
};

// Bits of what holds the clocks down now (nvmlClocksEventReasons, before R535 ...ThrottleReasons).
inline constexpr unsigned long long kPowerCap = 0x4, kHwSlowdown = 0x8, kSwThermalSlowdown = 0x20,
                                    kHwThermalSlowdown = 0x40, kPowerBrake = 0x80;
inline constexpr int kPowerPolicy = 0, kThermalPolicy = 1, kBoardLimitPolicy = 3,
                     kReliabilityPolicy = 5;                        // nvmlPerfPolicyType_t
inline constexpr int kCorrectedErrors = 0, kUncorrectedErrors = 1;  // nvmlMemoryErrorType_t
// nvmlEccCounterType_t: since the driver was loaded, or since the board was made.
inline constexpr int kVolatileErrors = 0, kAggregateErrors = 1;
// nvmlNvLinkErrorCounter_t
inline constexpr int kLinkReplays = 0, kLinkRecoveries = 1, kLinkCrcFlits = 2, kLinkCrcData = 3;
inline constexpr unsigned long long kXidEvents = 0x8;  // nvmlEventTypeXidCriticalError
inline constexpr int kGpuTemperature = 0;              // nvmlTemperatureSensors_t
inline constexpr Return kInsufficientSize = 7;

// A null pointer: the library lacks that function (an old driver).
struct Functions {
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*error_string)(Return) = nullptr;
  Return (*device_count)(unsigned*) = nullptr;
  Return (*device_by_index)(unsigned, Device*) = nullptr;
  Return (*driver_version)(char*, unsigned) = nullptr;
  Return (*name)(Device, char*, unsigned) = nullptr;
  Return (*uuid)(Device, char*, unsigned) = nullptr;
  Return (*serial)(Device, char*, unsigned) = nullptr;
  Return (*pci_info)(Device, PciInfo*) = nullptr;
  Return (*memory_info)(Device, Memory*) = nullptr;
  Return (*compute_capability)(Device, int*, int*) = nullptr;
  Return (*max_clock)(Device, unsigned, unsigned*) = nullptr;
  Return (*power_limit)(Device, unsigned*) = nullptr;  // mW
  Return (*pcie_generation)(Device, unsigned*) = nullptr;
  Return (*pcie_width)(Device, unsigned*) = nullptr;
  Return (*device_by_uuid)(const char*, Device*) = nullptr;
  Return (*total_energy)(Device, unsigned long long*) = nullptr;  // mJ since the driver started
  Return (*nvlink_state)(Device, unsigned, unsigned*) = nullptr;
  Return (*clock)(Device, unsigned, unsigned*) = nullptr;   // MHz
  Return (*temperature)(Device, int, unsigned*) = nullptr;  // degrees Celsius
  Return (*power)(Device, unsigned*) = nullptr;             // mW
  Return (*utilization)(Device, Utilization*) = nullptr;
  Return (*clock_reasons)(Device, unsigned long long*) = nullptr;
  Return (*violation)(Device, int policy, ViolationTime*) = nullptr;
  Return (*ecc_errors)(Device, int type, int counter, unsigned long long*) = nullptr;
  Return (*remapped_rows)(Device, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                          unsigned* failed) = nullptr;
  Return (*nvlink_errors)(Device, unsigned link, int counter, unsigned long long*) = nullptr;
  Return (*pcie_replays)(Device, unsigned*) = nullptr;
  Return (*most_pcie_generation)(Device, unsigned*) = nullptr;  // that GPU and system have
  Return (*most_pcie_width)(Device, unsigned*) = nullptr;
  Return (*event_set_create)(EventSet*) = nullptr;
  Return (*event_set_free)(EventSet) = nullptr;
  Return (*register_events)(Device, unsigned long long types, EventSet) = nullptr;
  Return (*event_set_wait)(EventSet, EventData*, unsigned timeout_ms) = nullptr;
  // With a count of 0 it tells the number and kInsufficientSize, or success where there is none.
  Return (*compute_processes)(Device, unsigned* count, void*) = nullptr;
  Return (*mig_mode)(Device, unsigned* current, unsigned* pending) = nullptr;
  Return (*most_mig_instances)(Device, unsigned*) = nullptr;
  Return (*mig_instance)(Device, unsigned, Device*) = nullptr;
};

// In MIG mode a GPU is only a container of instances. False when the mode is unknown.
bool is_in_mig_mode(const Functions& call, Device device);

// Asks one function that puts its answer behind its last argument. Nothing: the library lacks it,
// or it fails.
template <class Answer, class Function, class... Arguments>
std::optional<Answer> answered(Function function, Arguments... arguments) {
  Answer answer{};
  if (!function || function(arguments..., &answer) != kSuccess) return std::nullopt;
  return answer;
}

// How long a policy of nvmlPerfPolicyType_t has held the clocks down.
std::optional<double> held_back_s(const Functions& call, Device device, int policy);

// Keeps NVML loaded and initialised until it is destroyed.
class Library {
 public:
  // Null when the library is absent, unusable or does not start; `why` then gives the reason.
  static std::unique_ptr<Library> open(const std::string& file, std::string& why);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Functions& call() const { return functions_; }
  std::string text_of(Return code) const;

 private:
  Library(void* handle, Functions functions) : handle_(handle), functions_(functions) {}

  void* handle_;
  Functions functions_;
  bool started_ = false;
};

// A whole GPU and the library to ask about it, which is null when there is no such GPU.
struct OpenDevice {
  std::unique_ptr<Library> library;
  Device device = nullptr;
};

OpenDevice open_device(const std::string& uuid, const std::string& file);

}  // namespace scalemark::monitoring::nvml
