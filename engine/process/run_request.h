// The request to a rank's process, whatever the command: what it runs as, and where; and how the
// process is set up for it before its first tensor. It crosses from the program into the engine:
// torch-free.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "core/base/threads.h"
#include "core/launch/world.h"
#include "core/settings/settings.h"
#include "core/settings/settings_json.h"
#include "report/record/report.h"

namespace scalemark::process {

// How a process computes; may differ from one point of a sweep to the next.
struct ComputeSettings {
  int threads = 1;
  bool deterministic = false;
};

inline ComputeSettings compute_settings(const settings::Settings& settings) {
  return {.threads = settings.parallel.threads, .deterministic = settings.recipe.deterministic};
}

// A process that knows nothing of training needs only these of all settings.
struct ProcessSettings {
  std::string command;  // "train"
  settings::LaunchSettings launch;
  settings::GeneralSettings general;
  settings::DeviceKind device = settings::DeviceKind::kCpu;
  ComputeSettings compute;
  std::map<std::string, std::string> common;   // settings that must be equal on all ranks
  std::string json;                            // all settings, for the report
  std::map<std::string, std::string> origins;  // where each came from, for the report
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

// Where rank 0 serves the pages of its run.
struct MetricsAddress {
  std::string host;
  int port = 0;       // 0: any
  std::string token;  // readers have to give it; empty: none
};

struct RunRequest {
  ProcessSettings settings;
  launching::World world;
  launching::Rendezvous rendezvous;
  std::string command_line;    // the report shows it as it was typed
  std::string library_folder;  // holds the engine and its plugins
  std::string mpi_library;     // whose plugin is loaded: "openmpi" or "mpich"; empty: none
  std::string error_file;      // the built-in launcher reads it; empty: none
  std::string given_cpus;      // this process had them before --bind; empty: it is not bound
  bool terminal = false;       // may this rank draw a progress bar on stderr?
  Terminal output;             // results are printed to it
  std::string about;           // the config file says it, the report repeats it
  std::vector<reporting::ScaledDown> scaled_down;    // the report lists them
  std::optional<MetricsAddress> metrics;             // --metrics-port sets it
  ThreadShortageHook* on_thread_shortage = nullptr;  // the program sets it; null: a test's process
};

// Sets torch's CUDA libraries, compute threads, allocator and determinism; the seed is each
// trainer's. Call once, before any tensor exists and before anything else is asked of torch: for a
// GPU its CUDA libraries come in first (engine/device/cuda_plugin.h, which also says what is
// thrown); for a CPU never. Sets the number of compute threads (OMP_NUM_THREADS is never obeyed:
// --threads alone rules, docs/METRICS.md) and lets freed memory be kept, by our allocator for
// tensors and by glibc for oneDNN's scratch memory: a training step frees and asks again for the
// same large blocks, whose pages would else be faulted in anew each time (docs/DEPENDENCIES.md,
// "glibc malloc"). Warnings of torch's C++ code are kept off stderr unless TORCH_CPP_LOG_LEVEL is
// set: c10d warns, with a backtrace on every rank, of each lost peer that our own error line
// already names.
void set_up_process(const ProcessSettings& settings);

// The part that may differ from point to point: threads, determinism.
void apply_compute_settings(const ComputeSettings& settings);

}  // namespace scalemark::process
