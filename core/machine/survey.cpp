#include "core/machine/survey.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>

#include "core/base/host_name.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/machine/gpus.h"
#include "core/machine/process_reading.h"
#include "core/machine/telemetry/host_probes.h"
#include "core/machine/text_file.h"

namespace scalemark::monitoring {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFlags = {"avx",      "avx2",        "fma",         "avx512f",     "avx512bw",
                               "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16", "avx_vnni",
                               "amx_tile", "amx_int8",    "amx_bf16",    "amx_fp16",    "asimd",
                               "sve",      "bf16",        "i8mm"};

std::string trimmed_text(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\"");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\"\r") - first + 1));
}

// The value of the first line "key<separator> value" whose key is `key`.
std::string value_of(std::string_view text, std::string_view key, char separator) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(separator);
    if (at != std::string::npos && trimmed_text(line.substr(0, at)) == key) {
      return trimmed_text(line.substr(at + 1));
    }
  }
  return "";
}

// Distinct (physical id, core id) pairs and processors of /proc/cpuinfo.
Cores count_cores(std::string_view cpuinfo) {
  Cores cores;
  std::set<std::pair<std::string, std::string>> physical;
  std::string package;
  std::istringstream lines{std::string(cpuinfo)};
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(':');
    if (at == std::string::npos) continue;
    const auto key = trimmed_text(line.substr(0, at)), value = trimmed_text(line.substr(at + 1));
    if (key == "processor") ++cores.logical;
    if (key == "physical id") package = value;
    if (key == "core id") physical.emplace(package, value);
  }
  // Some virtual machines and ARM kernels do not distinguish cores from threads.
  cores.physical = physical.empty() ? cores.logical : static_cast<int>(physical.size());
  return cores;
}

int affinity_cores(int logical) {
  // Grown until the kernel's mask fits: cpu_set_t alone holds 1,024 CPUs.
  for (int cpus = 1024; cpus <= 1 << 16; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (!set) break;
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    const bool known = sched_getaffinity(0, size, set) == 0;
    const int count = known ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (known) return count;
  }
  return logical;
}

std::vector<Nic> read_nics(const fs::path& root) {
  std::vector<Nic> nics;
  for (const fs::path& entry : entries_of(root / "sys/class/net")) {
    Nic nic;
    nic.name = entry.filename();
    if (nic.name == "lo") continue;
    nic.state = read_line(entry / "operstate").value_or("unknown");
    nic.speed_Mbit_per_s = number_in<std::int64_t>(entry / "speed");
    if (nic.speed_Mbit_per_s && *nic.speed_Mbit_per_s <= 0) nic.speed_Mbit_per_s.reset();
    nic.mtu = number_in<std::int64_t>(entry / "mtu");
    nics.push_back(nic);
  }
  return nics;
}

void read_cpu(Host& host, const fs::path& root) {
  const auto cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
  host.cpu = value_of(cpuinfo, "model name", ':');
  host.cpu_flags = cpu_flags_of_interest(cpuinfo);
  host.cores = count_cores(cpuinfo);
  host.cores.usable = affinity_cores(host.cores.logical);
}

void read_gpus(Host& host, const std::string& nvml) {
  auto survey = detect_gpus(nvml);
  host.gpus = std::move(survey.gpus);
  host.gpu_note = std::move(survey.note);
  const char* chosen = survey.visible_only ? nullptr : std::getenv("CUDA_VISIBLE_DEVICES");
  host.visible_gpus =
      visible_gpus(chosen ? std::optional<std::string>(chosen) : std::nullopt, host.gpus);
}

// Schedulers have names of their own for machines: a node is drained by that name.
std::string scheduler_node() {
  for (const char* variable : {"SLURMD_NODENAME", "NODE_NAME"}) {
    const char* name = std::getenv(variable);
    if (name != nullptr && is_host_name(name)) return name;
  }
  return "";
}

}  // namespace

std::vector<std::string> cpu_flags_of_interest(std::string_view cpuinfo) {
  std::string line = value_of(cpuinfo, "flags", ':');
  if (line.empty()) line = value_of(cpuinfo, "Features", ':');  // ARM
  std::istringstream words(line);
  const std::set<std::string> all{std::istream_iterator<std::string>(words), {}};
  std::vector<std::string> found;
  for (const char* flag : kFlags) {
    if (all.contains(flag)) found.emplace_back(flag);
  }
  return found;
}

Host survey_host(const fs::path& root, const std::string& nvml) {
  Host host;
  utsname system = {};
  if (uname(&system) == 0) {
    host.kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
  }
  host.hostname = host_name();
  host.scheduler_node = scheduler_node();
  host.boot_id = machine_id(root);
  host.os = value_of(read_text(root / "etc/os-release").value_or(""), "PRETTY_NAME", '=');
  read_cpu(host, root);
  host.cgroup = cgroup_limits(root);
  host.memory_bytes =
      kilobyte_field(read_text(root / "proc/meminfo").value_or(""), "MemTotal").value_or(0);
  host.nics = read_nics(root);
  host.rdma = survey_rdma(root).ports;
  if (!nvml.empty()) read_gpus(host, nvml);
  return host;
}

int usable_cores(const Host& host) {
  int cores = host.cores.usable;
  if (host.cgroup.cpus) cores = std::min(cores, static_cast<int>(std::floor(*host.cgroup.cpus)));
  return std::max(1, cores);
}

int usable_cores() {
  Host host;
  read_cpu(host, "/");
  host.cgroup = cgroup_limits();
  return usable_cores(host);
}

namespace {

constexpr std::array kPrefixes = {
    "OMP_",        "GOMP_",   "KMP_",   "MKL_",         "OPENBLAS_",
    "ONEDNN_",     "DNNL_",   "NCCL_",  "GLOO_",        "UCX_",
    "TORCH_NCCL_", "CUBLAS_", "CUDNN_", "NVIDIA_TF32_", "PYTORCH_CUDA_ALLOC_",
    "OMPI_MCA_btl"};
constexpr std::array kNames = {"CUDA_VISIBLE_DEVICES",
                               "CUDA_DEVICE_ORDER",
                               "CUDA_LAUNCH_BLOCKING",
                               "CUDA_MODULE_LOADING",
                               "NVIDIA_VISIBLE_DEVICES",
                               "PYTORCH_ALLOC_CONF",
                               "LD_PRELOAD",
                               "LD_LIBRARY_PATH",
                               "MALLOC_ARENA_MAX",
                               "MALLOC_MMAP_THRESHOLD_",
                               "MALLOC_TRIM_THRESHOLD_",
                               "MALLOC_TOP_PAD_",
                               "GLIBC_TUNABLES",
                               "LRU_CACHE_CAPACITY",
                               "ATEN_CPU_CAPABILITY",
                               "WORLD_SIZE",
                               "LOCAL_WORLD_SIZE",
                               "GROUP_WORLD_SIZE",
                               "SLURM_JOB_ID",
                               "SLURM_NNODES",
                               "SLURM_NTASKS",
                               "SLURM_CPUS_PER_TASK",
                               "SLURM_CPU_BIND",
                               "OMPI_COMM_WORLD_SIZE",
                               "PMI_SIZE",
                               "SCALEMARK_TORCH"};
// The engine sets these itself, unless the user has: engine/distributed/providers.h.
constexpr std::array kOurs = {"GLOO_ENABLE_RANK_AS_SEQUENCE_NUMBER=1",
                              "GLOO_ENABLE_STORE_V2_API=1"};
constexpr std::array kSecrets = {"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH"};

bool allowed(std::string_view name) {
  if (has_any(name, kSecrets)) return false;
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::map<std::string, std::string> allowed_variables(std::span<const char* const> environment) {
  std::map<std::string, std::string> variables;
  for (const std::string_view entry : environment) {
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || !allowed(entry.substr(0, equals))) continue;
    if (std::ranges::find(kOurs, entry) != kOurs.end()) continue;
    variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

std::map<std::string, std::string> allowed_variables() {
  std::size_t count = 0;
  while (environ[count]) ++count;
  return allowed_variables(std::span<const char* const>(environ, count));
}

namespace {

// "4: ACTIVE" -> "ACTIVE"
std::string word_behind_number(const std::optional<std::string>& line) {
  if (!line) return "";
  const auto colon = line->find(": ");
  return colon == std::string::npos ? *line : line->substr(colon + 2);
}

// "400 Gb/sec (4X NDR)" -> 400
std::optional<double> gigabits_in(const std::optional<std::string>& line) {
  if (!line || line->find("Gb/sec") == std::string::npos) return std::nullopt;
  const auto rate = leading_number<double>(*line);
  return rate.value_or(0) > 0 ? rate : std::nullopt;
}

// For RoCE the kernel names it beside the first address of the port, for InfiniBand at the device.
std::string network_interface(const fs::path& device, const fs::path& port) {
  if (auto name = read_line(port / "gid_attrs/ndevs/0"); name && !name->empty()) return *name;
  const auto own = entries_of(device / "device/net");
  return own.empty() ? "" : own.front().filename().string();
}

std::optional<RdmaPort> read_port(const fs::path& device, const fs::path& folder) {
  RdmaPort port;
  port.device = device.filename();
  const auto number = leading_number<decltype(port.port)>(folder.filename().string());
  if (!number) return std::nullopt;
  port.port = *number;
  port.state = word_behind_number(read_line(folder / "state"));
  port.physical_state = word_behind_number(read_line(folder / "phys_state"));
  port.link_layer = read_line(folder / "link_layer").value_or("");
  port.rate_Gbit_per_s = gigabits_in(read_line(folder / "rate"));
  port.netdev = network_interface(device, folder);
  return port;
}

bool has_module(const fs::path& root, const char* name) {
  std::error_code unknown;
  return fs::exists(root / "sys/module" / name, unknown);
}

int count_verbs_devices(const fs::path& root) {
  const auto entries = entries_of(root / "dev/infiniband");
  return static_cast<int>(std::ranges::count_if(entries, [](const fs::path& entry) {
    return entry.filename().string().starts_with("uverbs");
  }));
}

}  // namespace

RdmaSurvey survey_rdma(const fs::path& root) {
  RdmaSurvey survey{
      .ports = {},
      .verbs_devices = count_verbs_devices(root),
      .peer_memory = has_module(root, "nvidia_peermem") || has_module(root, "nv_peer_mem")};
  for (const fs::path& device : entries_of(root / "sys/class/infiniband")) {
    for (const fs::path& folder : entries_of(device / "ports")) {
      if (auto port = read_port(device, folder)) survey.ports.push_back(std::move(*port));
    }
  }
  std::ranges::sort(survey.ports, {}, [](const RdmaPort& port) {
    return std::tuple(std::string_view(port.device), port.port);
  });
  return survey;
}

}  // namespace scalemark::monitoring
