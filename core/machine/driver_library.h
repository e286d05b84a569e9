// Opens a library of NVIDIA's driver, and calls NVML, the one for management. Never linked: the
// program starts and runs without a driver.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace scalemark::monitoring {

// Where containers (NVIDIA's runtime on some clouds) and WSL put the driver, unknown to ldconfig.
std::span<const std::string> driver_folders();

// Opens `file` where the system finds it (LD_LIBRARY_PATH, ldconfig), else in `folders`; a path
// with a slash as it is. Returns the handle for dlsym(), or null; `why` then says what was tried.
void* open_driver_library(const std::string& file, std::string& why,
                          std::span<const std::string> folders = driver_folders());

}  // namespace scalemark::monitoring

namespace scalemark::monitoring::nvml {

// The part of NVML's C interface that we call is declared here, so that no header of NVIDIA's is
// needed to build. Signatures: NVML API Reference (docs.nvidia.com/deploy/nvml-api). Only this
// room calls it.

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

// NVML's functions, by their symbols in an open library. A null pointer: it lacks that function (an
// old driver). Clocks are in MHz, power in mW, temperatures in degrees Celsius; energy is in mJ
// since the driver started.
class Functions {
  template <class... Arguments>
  using Function = Return (*)(Arguments...);
  struct Symbol {
    void* place;
    template <class F>
    operator F*() const {
      return reinterpret_cast<F*>(place);
    }
  };
  // The first of two names, newest first, that the library has.
  Symbol symbol(const char* newest, const char* older = nullptr) const;

  void* library_;  // declared first: the functions below are found in it

 public:
  explicit Functions(void* library) : library_(library) {}

  Function<> init = symbol("nvmlInit_v2");
  Function<> shutdown = symbol("nvmlShutdown");
  const char* (*error_string)(Return) = symbol("nvmlErrorString");
  Function<unsigned*> device_count = symbol("nvmlDeviceGetCount_v2");
  Function<unsigned, Device*> device_by_index = symbol("nvmlDeviceGetHandleByIndex_v2");
  Function<char*, unsigned> driver_version = symbol("nvmlSystemGetDriverVersion");
  Function<Device, char*, unsigned> name = symbol("nvmlDeviceGetName");
  Function<Device, char*, unsigned> uuid = symbol("nvmlDeviceGetUUID");
  Function<Device, char*, unsigned> serial = symbol("nvmlDeviceGetSerial");
  Function<Device, PciInfo*> pci_info = symbol("nvmlDeviceGetPciInfo_v3");
  Function<Device, Memory*> memory_info = symbol("nvmlDeviceGetMemoryInfo");
  Function<Device, int*, int*> compute_capability = symbol("nvmlDeviceGetCudaComputeCapability");
  Function<Device, unsigned, unsigned*> max_clock = symbol("nvmlDeviceGetMaxClockInfo");
  Function<Device, unsigned*> power_limit = symbol("nvmlDeviceGetEnforcedPowerLimit");
  Function<Device, unsigned*> pcie_generation = symbol("nvmlDeviceGetCurrPcieLinkGeneration");
  Function<Device, unsigned*> pcie_width = symbol("nvmlDeviceGetCurrPcieLinkWidth");
  Function<const char*, Device*> device_by_uuid = symbol("nvmlDeviceGetHandleByUUID");
  Function<Device, unsigned long long*> total_energy =
      symbol("nvmlDeviceGetTotalEnergyConsumption");
  Function<Device, unsigned, unsigned*> nvlink_state = symbol("nvmlDeviceGetNvLinkState");
  Function<Device, unsigned, unsigned*> clock = symbol("nvmlDeviceGetClockInfo");
  Function<Device, int, unsigned*> temperature = symbol("nvmlDeviceGetTemperature");
  Function<Device, unsigned*> power = symbol("nvmlDeviceGetPowerUsage");
  Function<Device, Utilization*> utilization = symbol("nvmlDeviceGetUtilizationRates");
  Function<Device, unsigned long long*> clock_reasons =
      symbol("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons");
  Function<Device, int, ViolationTime*> violation = symbol("nvmlDeviceGetViolationStatus");
  Function<Device, int, int, unsigned long long*> ecc_errors =
      symbol("nvmlDeviceGetTotalEccErrors");
  Function<Device, unsigned*, unsigned*, unsigned*, unsigned*> remapped_rows =
      symbol("nvmlDeviceGetRemappedRows");
  Function<Device, unsigned, int, unsigned long long*> nvlink_errors =
      symbol("nvmlDeviceGetNvLinkErrorCounter");
  Function<Device, unsigned*> pcie_replays = symbol("nvmlDeviceGetPcieReplayCounter");
  Function<Device, unsigned*> most_pcie_generation = symbol("nvmlDeviceGetMaxPcieLinkGeneration");
  Function<Device, unsigned*> most_pcie_width = symbol("nvmlDeviceGetMaxPcieLinkWidth");
  Function<EventSet*> event_set_create = symbol("nvmlEventSetCreate");
  Function<EventSet> event_set_free = symbol("nvmlEventSetFree");
  Function<Device, unsigned long long, EventSet> register_events =
      symbol("nvmlDeviceRegisterEvents");
  Function<EventSet, EventData*, unsigned> event_set_wait =
      symbol("nvmlEventSetWait_v2", "nvmlEventSetWait");
  // With a count of 0 it gives the number and kInsufficientSize, or success where there is none.
  Function<Device, unsigned*, void*> compute_processes =
      symbol("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses");
  Function<Device, unsigned*, unsigned*> mig_mode = symbol("nvmlDeviceGetMigMode");
  Function<Device, unsigned*> most_mig_instances = symbol("nvmlDeviceGetMaxMigDeviceCount");
  Function<Device, unsigned, Device*> mig_instance = symbol("nvmlDeviceGetMigDeviceHandleByIndex");
};

// In MIG mode a GPU is only a container of instances. False when the mode is unknown.
bool is_in_mig_mode(const Functions& call, Device device);

// Calls a function that writes its answer through its last argument. Absent: the library lacks the
// function, or it fails.
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
  explicit Library(void* handle) : handle_(handle), functions_(handle) {}

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
