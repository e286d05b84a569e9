// The request to a rank's process, whatever the command: how and where it runs, and how the process
// is set up before its first tensor. It is passed from the program to the engine, hence torch-free.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "core/base/threads.h"
#include "core/launch/world.h"
#include "core/settings/settings.h"
#include "core/settings/settings_json.h"
#include "report/record/report.h"

namespace scalemark::process {

// How a process computes. It may differ from one point of a sweep to the next.
struct ComputeSettings {
  int threads = 1;
  bool deterministic = false;
};

inline ComputeSettings compute_settings(const settings::Settings& settings) {
  return {.threads = settings.parallel.threads, .deterministic = settings.recipe.deterministic};
}

// The part of the settings that is enough for a process that knows nothing of training.
struct ProcessSettings {
  std::string command;  // "train"
  settings::LaunchSettings launch;
  settings::GeneralSettings general;
  settings::DeviceKind device = settings::DeviceKind::kCpu;
  ComputeSettings compute;
  std::map<std::string, std::string> common;   // settings that must be equal on all ranks
  std::string json;                            // all settings, for the report
  std::map<std::string, std::string> origins;  // the source of each setting, for the report
};

inline ProcessSettings process_settings(const settings::Settings& settings) {
  ProcessSettings process{.command = settings.command,
                          .launch = settings.launch,
                          .general = settings.general,
                          .device = settings.parallel.device,
                          .compute = compute_settings(settings),
                          .json = settings::to_json(settings),
                          .origins = settings.origins};
  for (const auto& [name, value] : settings::flat_settings(settings)) {
    if (!settings::may_differ_between_ranks(name)) process.common[name] = value;
  }
  return process;
}

// The address at which rank 0 serves the pages of its run.
struct MetricsAddress {
  std::string host;
  int port = 0;       // 0: any port
  std::string token;  // readers must present it; empty: none
};

struct RunRequest {
  ProcessSettings settings;
  launching::World world;
  launching::Rendezvous rendezvous;
  std::string command_line;      // the report shows it as it was typed
  std::string launcher_command;  // rank 0 has it: the words before it, as far as they are known
  std::string library_folder;    // folder of the engine and its plugins
  // The MPI library whose plugin is loaded: "openmpi" or "mpich"; empty: none.
  std::string mpi_library;
  std::string error_file;  // the built-in launcher reads it; empty: none
  int meshes = 0;          // see launching::descriptors_of_rank()
  std::string given_cpus;  // the CPUs of this process before --bind; empty: it is not bound
  bool terminal = false;   // whether this rank may draw a progress bar on stderr
  Terminal output;         // results are printed to it
  std::string about;       // the description of the config file, for the report
  std::vector<reporting::ScaledDown> scaled_down;  // the report lists them
  std::optional<MetricsAddress> metrics;           // the value of --metrics-port
  // Says what others reached (reporting::Besides); null: a test's process.
  std::string (*published)(std::span<const reporting::Report>) = nullptr;
  ThreadShortageHook* on_thread_shortage = nullptr;  // the program sets it; null: a test's process
};

// Sets torch's CUDA libraries, compute threads, allocator and determinism; each trainer sets its
// own seed. Call it once, before any tensor exists and before torch is asked anything else: for a
// GPU its CUDA libraries are loaded first (engine/device/cuda_plugin.h, which also documents the
// exceptions); for a CPU never. Sets the number of compute threads (--threads alone decides and
// OMP_NUM_THREADS is never obeyed, METRICS.md). Lets freed memory be kept, by our allocator
// for tensors and by glibc for oneDNN's scratch memory: a training step frees and requests the same
// large blocks again, whose pages would otherwise be faulted in anew each time
// (DEPENDENCIES.md, "glibc malloc"). Keeps warnings of torch's C++ code off stderr unless
// TORCH_CPP_LOG_LEVEL is set: c10d warns, with a backtrace on every rank, of each lost peer that
// our own error line already names.
void set_up_process(const ProcessSettings& settings);

// Applies the part that may differ from point to point: threads and determinism.
void apply_compute_settings(const ComputeSettings& settings);

}  // namespace scalemark::process
