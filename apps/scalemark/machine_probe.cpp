#include "apps/scalemark/machine_probe.h"

#include <ctime>
#include <filesystem>
#include <fstream>

#include "apps/scalemark/gpu_view.h"
#include "apps/scalemark/library_folder.h"
#include "core/base/host_name.h"
#include "core/base/words.h"
#include "core/launching/environment.h"
#include "core/monitoring/environment.h"
#include "core/monitoring/gpus.h"
#include "core/monitoring/topology.h"
#include "core/placement/places.h"
#include "core/settings/reader.h"

namespace scalemark::cli {
namespace {

struct CpuText {
  std::string name;
  std::string flags;
};

CpuText read_cpu() {
  CpuText cpu;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {  // the first processor
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

std::vector<settings::Gpu> probe_gpus(int count, const launching::Environment& environment) {
  if (count == 0) return {};
  return view_gpus(count, monitoring::look_for_gpus(),
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
  if (std::filesystem::exists(library_folder() / "libscalemark_cuda.so")) {
    probed.machine.gpus = probe_gpus(gpus, environment);
  } else {
    probed.gpus_without_cuda_part = gpus;
  }
  return probed;
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
  if (!settings::is_on(raw, "dry_run") || value_at(raw, "device").text != "cuda" ||
      !machine.gpus.empty())
    return {};
  constexpr std::size_t kAssumed = 8;
  machine.gpus.resize(kAssumed);
  return "no GPU is here: planned for " + std::to_string(kAssumed) + " on each machine";
}

}  // namespace scalemark::cli
