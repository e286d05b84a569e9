#include "core/machine/gpus.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/machine/driver_library.h"
#include "core/machine/host.h"
#include "core/machine/text_file.h"

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

// Serves machines without NVML, such as containers that were given the driver's compute part alone.
// `visible_only` is set: these are the GPUs that CUDA_VISIBLE_DEVICES leaves, in CUDA's order.
// Makes no context. Never throws; `note` says why there are none, or what is missing. The library
// stays open: a started driver must not be unloaded while other code uses CUDA.
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

// Asks one device; collects what could not be read. "Not supported" is an answer, not a failure.
class Questions {
 public:
  Questions(const nvml::Library& library, std::set<std::string>& failures)
      : library_(library), failures_(failures) {}

  template <class F, class... Arguments>
  bool ask(const char* what, F function, Arguments... arguments) {
    if (!function) {
      failures_.insert(std::string(what) + " (not in this driver)");
      return false;
    }
    const nvml::Return code = function(arguments...);
    if (code != nvml::kSuccess && code != nvml::kNotSupported) {
      failures_.insert(std::string(what) + " (" + library_.text_of(code) + ")");
    }
    return code == nvml::kSuccess;
  }

  template <class F>
  std::string text(const char* what, F function, nvml::Device device) {
    char buffer[128] = {};
    const bool known = ask(what, function, device, buffer, unsigned{sizeof buffer - 1});
    return known ? buffer : "";
  }

  template <class F, class... Arguments>
  std::optional<int> number(const char* what, F function, Arguments... arguments) {
    unsigned value = 0;
    if (!ask(what, function, arguments..., &value)) return std::nullopt;
    return static_cast<int>(value);
  }

 private:
  const nvml::Library& library_;
  std::set<std::string>& failures_;
};

std::optional<int> active_links(const nvml::Functions& call, nvml::Device device) {
  if (!call.nvlink_state) return std::nullopt;
  int active = 0;
  for (unsigned link = 0; link < nvml::kMaxLinks; ++link) {
    if (nvml::answered<unsigned>(call.nvlink_state, device, link).value_or(0) != 0) ++active;
  }
  return active;
}

// An index without an instance is usual; an instance that cannot be named is of no use.
std::vector<MigInstance> read_mig_instances(const nvml::Functions& call, Questions& questions,
                                            nvml::Device device) {
  std::vector<MigInstance> instances;
  unsigned most = 0;
  if (!is_in_mig_mode(call, device) || !call.mig_instance || !call.most_mig_instances) return {};
  if (!questions.ask("MIG instances", call.most_mig_instances, device, &most)) return {};
  for (unsigned i = 0; i < most; ++i) {
    nvml::Device part = nullptr;
    if (call.mig_instance(device, i, &part) != nvml::kSuccess) continue;
    MigInstance instance{.name = questions.text("name", call.name, part),
                         .uuid = questions.text("uuid", call.uuid, part)};
    nvml::Memory memory = {};
    if (questions.ask("memory", call.memory_info, part, &memory)) {
      instance.memory_bytes = memory.total;
    }
    if (!instance.uuid.empty()) instances.push_back(std::move(instance));
  }
  return instances;
}

Gpu read_gpu(const nvml::Functions& call, Questions& questions, nvml::Device device, int index) {
  Gpu gpu;
  gpu.index = index;
  gpu.name = questions.text("name", call.name, device);
  gpu.uuid = questions.text("uuid", call.uuid, device);
  gpu.serial = questions.text("serial", call.serial, device);
  nvml::PciInfo pci = {};
  if (questions.ask("pci", call.pci_info, device, &pci)) {
    gpu.pci.assign(pci.bus_id, strnlen(pci.bus_id, sizeof pci.bus_id));
  }
  nvml::Memory memory = {};
  if (questions.ask("memory", call.memory_info, device, &memory)) gpu.memory_bytes = memory.total;
  int major = 0, minor = 0;
  if (questions.ask("compute capability", call.compute_capability, device, &major, &minor)) {
    gpu.compute_major = major;
    gpu.compute_minor = minor;
  }
  gpu.max_sm_clock_MHz = questions.number("sm clock", call.max_clock, device, nvml::kClockSm);
  gpu.max_memory_clock_MHz =
      questions.number("memory clock", call.max_clock, device, nvml::kClockMemory);
  if (const auto mW = questions.number("power limit", call.power_limit, device)) {
    gpu.power_limit_W = *mW / 1000.0;
  }
  gpu.pcie.generation = questions.number("pcie generation", call.pcie_generation, device);
  gpu.pcie.width = questions.number("pcie width", call.pcie_width, device);
  gpu.nvlinks = active_links(call, device);
  gpu.mig_instances = read_mig_instances(call, questions, device);
  return gpu;
}

std::string_view behind_prefix(std::string_view uuid) {
  const bool prefixed = uuid.starts_with("GPU-") || uuid.starts_with("MIG-");
  return prefixed ? uuid.substr(4) : uuid;
}

}  // namespace

GpuSurvey detect_gpus(const std::string& nvml, const std::string& cuda) {
  auto survey = survey_gpus(nvml);
  if (!survey.gpus.empty()) return survey;
  auto through_cuda = survey_through_cuda(cuda);
  if (through_cuda.gpus.empty()) return survey;  // NVML's reason is the better known one
  through_cuda.note = survey.note + (survey.note.empty() ? "NVML shows no GPU" : "") +
                      ". Read through CUDA: no driver version, PCI address, clocks, power, energy";
  return through_cuda;
}

int driver_cuda_version(const std::string& cuda) {
  std::string why;
  void* handle = open_driver_library(cuda, why);
  int (*ask)(int*) = nullptr;
  int version = 0;
  const bool known = handle && find(handle, "cuDriverGetVersion", ask) && ask(&version) == 0;
  return known ? version : 0;
}

FoundGpu find_gpu(std::span<const Gpu> gpus, std::string_view uuid) {
  const auto bytes = behind_prefix(uuid);
  if (bytes.empty()) return {};
  for (const Gpu& gpu : gpus) {
    if (behind_prefix(gpu.uuid) == bytes) return {.gpu = &gpu};
    for (const MigInstance& instance : gpu.mig_instances) {
      if (behind_prefix(instance.uuid) == bytes) return {.gpu = &gpu, .instance = &instance};
    }
  }
  return {};
}

GpuSurvey survey_gpus(const std::string& library_file) {
  GpuSurvey survey;
  const auto library = nvml::Library::open(library_file, survey.note);
  if (!library) return survey;
  const auto& call = library->call();
  std::set<std::string> failures;
  Questions questions(*library, failures);

  unsigned count = 0;
  questions.ask("count", call.device_count, &count);
  char driver[96] = {};
  questions.ask("driver version", call.driver_version, driver, unsigned{sizeof driver - 1});
  for (unsigned i = 0; i < count; ++i) {
    nvml::Device device = nullptr;
    if (!questions.ask("a device", call.device_by_index, i, &device)) continue;
    survey.gpus.push_back(read_gpu(call, questions, device, static_cast<int>(i)));
    survey.gpus.back().driver = driver;
  }
  if (!failures.empty()) survey.note = "not read: " + joined(failures, ", ");
  return survey;
}

namespace {

// Returns the index of the GPU with a UUID; absent: there is no such GPU.
using IndexOfUuid = std::function<std::optional<int>(std::string_view)>;

std::string_view trimmed(std::string_view entry) {
  while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
  while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
  return entry;
}

std::optional<int> number_of(std::string_view entry, int gpus) {
  const auto number = whole_number(entry);
  return number && *number >= 0 && *number < gpus ? number : std::nullopt;
}

std::vector<int> chosen(std::string_view list, int gpus, const IndexOfUuid& index_of_uuid) {
  std::vector<int> visible;
  for (const std::string_view piece : split(list, ",")) {
    const std::string_view entry = trimmed(piece);
    const bool by_uuid = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    const auto index = by_uuid ? index_of_uuid(entry) : number_of(entry, gpus);
    if (!index) break;
    if (std::ranges::find(visible, *index) != visible.end()) return {};
    visible.push_back(*index);
  }
  return visible;
}

}  // namespace

std::vector<int> visible_gpus(const std::optional<std::string>& cuda_visible_devices,
                              std::span<const Gpu> gpus) {
  if (!cuda_visible_devices) {
    std::vector<int> all;
    for (std::size_t i = 0; i < gpus.size(); ++i) all.push_back(static_cast<int>(i));
    return all;
  }
  const auto index_of = [&](std::string_view uuid) -> std::optional<int> {
    const auto found = std::ranges::find_if(gpus, [&](const Gpu& gpu) {
      return gpu.uuid.starts_with(uuid) ||
             std::ranges::any_of(gpu.mig_instances, [&](const MigInstance& instance) {
               return instance.uuid.starts_with(uuid);
             });
    });
    if (found == gpus.end()) return std::nullopt;
    return static_cast<int>(found - gpus.begin());
  };
  return chosen(*cuda_visible_devices, static_cast<int>(gpus.size()), index_of);
}

int visible_gpu_count(const std::optional<std::string>& cuda_visible_devices, int gpus) {
  if (!cuda_visible_devices || gpus == 0) return gpus;
  std::vector<std::string> uuids;  // numbered behind the indices, so that none is taken for another
  const auto index_of = [&](std::string_view uuid) -> std::optional<int> {
    const auto known = std::ranges::find(uuids, uuid);
    const auto at = static_cast<int>(known - uuids.begin());
    if (known == uuids.end()) uuids.emplace_back(uuid);
    return gpus + at;
  };
  return static_cast<int>(chosen(*cuda_visible_devices, gpus, index_of).size());
}

int gpu_device_files() {
  constexpr std::string_view kName = "nvidia";
  int count = 0;
  for (const std::filesystem::path& entry : entries_of("/dev")) {
    const std::string name = entry.filename();
    const bool numbered = name.size() > kName.size() &&
                          name.find_first_not_of("0123456789", kName.size()) == std::string::npos;
    if (name.starts_with(kName) && numbered) ++count;
  }
  return count;
}

}  // namespace scalemark::monitoring
