#include "core/monitoring/gpus.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "core/monitoring/cuda_driver.h"
#include "core/monitoring/nvml_library.h"

namespace scalemark::monitoring {
namespace {

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

GpuSurvey look_for_gpus(const std::string& nvml, const std::string& cuda) {
  auto survey = survey_gpus(nvml);
  if (!survey.gpus.empty()) return survey;
  auto through_cuda = survey_through_cuda(cuda);
  if (through_cuda.gpus.empty()) return survey;  // NVML's reason is the better known one
  through_cuda.note = survey.note + (survey.note.empty() ? "NVML shows no GPU" : "") +
                      ". Read through CUDA: no driver version, PCI address, clocks, power, energy";
  return through_cuda;
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

}  // namespace scalemark::monitoring
