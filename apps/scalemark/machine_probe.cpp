#include "apps/scalemark/machine_probe.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "apps/scalemark/gpu_view.h"
#include "apps/scalemark/libraries.h"
#include "claims/rows/mapping.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/host_name.h"
#include "core/base/plugin.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/backends.h"
#include "core/launch/variables.h"
#include "core/machine/gpus.h"
#include "core/machine/places.h"
#include "core/machine/survey.h"
#include "core/machine/topology.h"
#include "core/plan/scale_down.h"
#include "core/settings/processes.h"
#include "core/settings/reader.h"
#include "core/settings/value.h"

namespace scalemark::cli {
namespace {

struct CpuText {
  std::string name;
  std::string flags;
};

CpuText read_cpu() {
  CpuText cpu;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {  // the first processor only
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("model name")) cpu.name = line.substr(colon + 2);
    if (line.starts_with("flags")) cpu.flags = line.substr(colon + 2);
  }
  return cpu;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return text;
}

std::optional<std::string> variable(const launching::Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::nullopt : std::optional(found->second);
}

// It may be there for any of torch's versions: a plan does not know which will be used.
bool has_part(std::string_view part) { return !torch_minors_of(library_folder(), part).empty(); }

std::vector<settings::Gpu> probe_gpus(int count, const launching::Environment& environment) {
  if (count == 0) return {};
  return view_gpus(count, monitoring::detect_gpus(),
                   {.visible_devices = variable(environment, "CUDA_VISIBLE_DEVICES"),
                    .device_order = variable(environment, "CUDA_DEVICE_ORDER")});
}

}  // namespace

ProbedMachine probe_machine() {
  const CpuText cpu = read_cpu();
  ProbedMachine probed{.machine = {.cpu_flags = cpu.flags, .cores = monitoring::usable_cores()},
                       .cpu_name = cpu.name};
  const launching::Environment environment = launching::snapshot_environment();
  const int gpus = monitoring::visible_gpu_count(variable(environment, "CUDA_VISIBLE_DEVICES"),
                                                 monitoring::gpu_device_files());
  if (has_part("cuda")) {
    probed.machine.gpus = probe_gpus(gpus, environment);
  } else {
    probed.gpus_without_cuda_plugin = gpus;
  }
  return probed;
}

claims::Machine machine_of(const settings::Machine& here, bool scaled_down) {
  claims::Machine machine{
      .chip = {},
      .gpus = std::ssize(here.gpus),
      .ranks = here.gpus.empty() ? std::max(2, here.cores) : static_cast<int>(here.gpus.size()),
      .precisions = {},
      .scaled_down = scaled_down};
  settings::PrecisionDevice device{.cpu_flags = here.cpu_flags};
  if (!here.gpus.empty()) {
    device = {settings::DeviceKind::kCuda, "", here.gpus.front().capability};
    if (const auto chip = published::chip_in(here.gpus.front().name)) machine.chip = chip->name;
  }
  for (const auto& word : words_of(settings::Precision())) {
    if (!settings::why_unsupported(word.value, device)) machine.precisions.emplace_back(word.name);
  }
  return machine;
}

void probe_topology(const settings::RawSettings& raw, settings::Machine& machine) {
  const auto bind = raw.find("bind");
  if (bind == raw.end() || bind->second.text == name_of(placement::Bind::kNone)) return;
  machine.topology = monitoring::read_topology();
  for (settings::Gpu& gpu : machine.gpus) {
    gpu.memory_node = monitoring::memory_node_of_pci(gpu.pci);
  }
}

settings::Place probe_place(const std::string& given_run_id) {
  const auto environment = launching::snapshot_environment();
  settings::Place place{.host = host_name(), .date = value_at(environment, kStartDate, utc_now())};
  for (const char* variable : {"SLURM_JOB_ID", "TORCHELASTIC_RUN_ID"}) {
    const std::string job = value_at(environment, variable);
    if (job.empty()) continue;
    place.job = job;
    break;
  }
  if (!given_run_id.empty()) place.job = given_run_id;
  return place;
}

std::string assume_gpus(const settings::RawSettings& raw, settings::Machine& machine) {
  if (!settings::is_on(raw, "dry_run") || !machine.gpus.empty()) return {};
  constexpr std::size_t kAssumed = 8;
  const std::string on_each = std::to_string(kAssumed) + " on each machine";
  if (value_at(raw, "device").text == "cuda") {
    machine.gpus.resize(kAssumed);
    return "no GPU is here: planned for " + on_each;
  }
  const bool said = raw.contains("device") || raw.contains("nproc_per_node");
  if (said || settings::nodes_in(raw) < 2) return {};
  return "no GPU is here: planned for CPUs; --device cuda plans for " + on_each;
}

planning::AvailableMemory memory_there() {
  const monitoring::Host host = monitoring::survey_host();
  planning::AvailableMemory there{.host_bytes = host.memory_bytes,
                                  .cgroup_bytes = host.cgroup.memory_bytes};
  if (!host.gpus.empty()) there.gpu_bytes = host.gpus.front().memory_bytes;
  return there;
}

std::optional<std::uint64_t> memory_available(const ResolvedCommand& base) {
  planning::AvailableMemory there = memory_there();
  there.ranks = base.ranks.local_world_size;
  return planning::least_memory_available(base.settings.parallel, base.ranks.world_size, there);
}

namespace {

namespace fs = std::filesystem;

bool is_of(const launching::MpiLibrary& library, const fs::path& program) {
  std::error_code failed;
  const std::string name = fs::canonical(program, failed).filename().string();
  const bool hydra = name.find("hydra") != name.npos || name.find("mpich") != name.npos;
  const bool open = name.find("orterun") != name.npos || name.find("prterun") != name.npos ||
                    name.find("openmpi") != name.npos || name == "mpirun";
  return !failed && (library.name == "mpich" ? hydra : open);
}

// The libraries that could start ranks here come first: auto takes the first one.
std::vector<std::string> usable_first(std::vector<std::string> built,
                                      const launching::Environment& environment) {
  std::ranges::stable_partition(built, [&](const std::string& name) {
    return !find_mpirun(launching::mpi_library(name), environment).empty();
  });
  return built;
}

std::string required_mpirun(const launching::MpiLibrary& library,
                            const launching::Environment& environment) {
  std::string path = find_mpirun(library, environment);
  if (!path.empty()) return path;
  throw system_error("--backend mpi: no mpirun of " + std::string(library.title) + " on PATH",
                     std::string(library.launcher) + " or mpirun, which starts the ranks",
                     "`apt-get install " + std::string(library.package) + "`");
}

}  // namespace

std::vector<std::string> built_mpi_libraries() {
  std::vector<std::string> built;
  for (const auto& library : launching::kMpiLibraries) {
    if (has_part(library.part)) built.emplace_back(library.name);
  }
  return built;
}

std::string find_mpirun(const launching::MpiLibrary& library,
                        const launching::Environment& environment) {
  const std::string path = value_at(environment, "PATH");
  for (const std::string_view name : {library.launcher, std::string_view("mpirun")}) {
    for (const fs::path& program : programs_named(name, path.c_str())) {
      if (name == library.launcher || is_of(library, program)) return program.string();
    }
  }
  return {};
}

void resolve_mpi(ResolvedCommand& resolved, const std::vector<std::string>& backends) {
  if (std::ranges::none_of(backends, catalogue::needs_mpi_ranks)) return;
  const auto environment = launching::snapshot_environment();
  const auto& library = launching::choose_mpi_library(
      resolved.detection, environment, resolved.settings.launch.mpi_library,
      usable_first(built_mpi_libraries(), environment));
  resolved.mpi_library = library.name;
  if (!resolved.detection.node) return;
  resolved.detection.node->mpi_library = library.name;
  resolved.detection.node->mpirun = required_mpirun(library, environment);
}

std::map<std::string, std::string> missing_backends(ResolvedCommand base) {
  std::map<std::string, std::string> missing;
  if (!has_part("cuda")) {
    missing["nccl"] = "this program was built without its CUDA plugin, which has nccl";
  }
  try {
    resolve_mpi(base, {"mpi"});
  } catch (const Error& error) {
    const ErrorRecord& record = error.record();
    missing["mpi"] = record.hint.empty() ? record.what : record.what + "; " + record.hint;
  }
  return missing;
}

void scale_down(settings::Command command, const settings::Machine& machine,
                settings::Layers& layers, ResolvedCommand& base) {
  const auto limit_s = planning::scale_down_s(layers.raw);
  if (!limit_s) return;
  const planning::Surveyed here{
      .machine = machine, .memory = memory_there(), .missing_backends = missing_backends(base)};
  planning::ScaledDown scaled = planning::scaled_down(command, layers.raw, here, *limit_s);
  layers.notes.insert(layers.notes.begin(), planning::in_words(scaled));
  for (planning::Change& change : scaled.changes) {
    base.scaled_down.push_back(
        {std::move(change.option), std::move(change.from), std::move(change.to)});
  }
  layers.raw = std::move(scaled.raw);
}

void refuse_stray_time(const Invocation& invocation) {
  const std::string& stray = invocation.positionals.front();
  const bool asked = std::ranges::any_of(
      invocation.sources.options, [](const auto& option) { return option.first == "scale_down"; });
  if (!asked || !settings::parse_seconds(stray)) return;
  throw usage("'" + stray + "' belongs to no option", {}, "--scale-down=" + stray);
}

// Several processes may come here at once: each makes a folder of its own, and one of these gets
// the name.
void make_missing_images(const ResolvedCommand& base) {
  namespace fs = std::filesystem;
  const bool wanted = std::ranges::any_of(base.scaled_down, [](const auto& change) {
    return change.option == "data" && change.to == planning::kMadeImages;
  });
  const fs::path folder = planning::kMadeImages;
  if (!wanted || fs::exists(folder)) return;
  const fs::path own = folder.string() + "." + std::to_string(getpid());
  constexpr int kSide = 128, kImages = 512;
  load_data_library().generate_images({.dir = own.string(), .samples = kImages, .size = kSide});
  std::error_code taken;
  fs::rename(own, folder, taken);
  if (taken) fs::remove_all(own);
}

}  // namespace scalemark::cli
