// Finds out what settings and the ranks of a launch must know of this machine: CPUs, GPUs, memory,
// backends, MPI libraries; --scale-down fits the settings to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/scalemark/rank_command.h"
#include "claims/judge/claims.h"
#include "core/launch/mpi_library.h"
#include "core/launch/variables.h"
#include "core/plan/estimates.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"

namespace scalemark::cli {

struct ProbedMachine {
  settings::Machine machine;
  std::string cpu_name;
  // Visible GPUs, where this program was built without its part for them.
  int gpus_without_cuda_plugin = 0;
};

// Loads no torch, and the driver's management library only where there are GPUs.
ProbedMachine probe_machine();

// Tells claims what this machine can run. On CPUs two ranks are always there, as for --scale-down.
claims::Machine machine_of(const settings::Machine& here, bool scaled_down);

// Reads where CPUs and GPUs lie, if `raw` asks for ranks to be bound.
void probe_topology(const settings::RawSettings& raw, settings::Machine& machine);

// The variable in which the built-in launcher passes its own date to its ranks. If each start had
// its own date, the ranks of one sweep would write into different folders.
inline constexpr const char* kStartDate = "SCALEMARK_START_DATE";

// `job`: the run id when one was given, else the launcher's job number, else "none". `date`: now,
// or in a rank the date of its launcher.
settings::Place probe_place(const std::string& given_run_id);

// --dry-run can plan for GPUs on a laptop or a login node: assumes some where there are none.
// Returns what the number of ranks rests on; empty: on what is here, or on options.
std::string assume_gpus(const settings::RawSettings& raw, settings::Machine& machine);

// The memory of the whole machine, and of its first GPU.
planning::AvailableMemory memory_there();

// The least memory that any rank can use, if all machines are like this one. Absent: unknown.
std::optional<std::uint64_t> memory_available(const ResolvedCommand& base);

// MPI libraries whose plugins lie beside the program: names of launching::kMpiLibraries, in that
// order.
std::vector<std::string> built_mpi_libraries();

// The path of a library's mpirun on PATH; empty: none. Where only a plain `mpirun` is there, the
// name at the end of its links decides whose it is.
std::string find_mpirun(const launching::MpiLibrary& library,
                        const launching::Environment& environment);

// Chooses the MPI library in `resolved` when `backends`, names of --backend, hold one that needs
// MPI. Throws as choose_mpi_library() does; system_error() (71) when there is no mpirun to start
// the ranks with.
void resolve_mpi(ResolvedCommand& resolved, const std::vector<std::string>& backends);

// Backends that cannot run here, with the reason. `base` describes the ranks that are launched; it
// is a copy, on which MPI is tried.
std::map<std::string, std::string> missing_backends(ResolvedCommand base);

// --scale-down carries out what core/plan/scale_down.h decides: changes `layers` if they ask for
// it, adds a note of what was changed, and keeps the changes in `base` for the report.
void scale_down(settings::Command command, const settings::Machine& machine,
                settings::Layers& layers, ResolvedCommand& base);

// The value of --scale-down stands behind "=" only: `--scale-down 5m` leaves a word over, and
// usage() (64) says what to type.
void refuse_stray_time(const Invocation& invocation);

// Makes the images that --scale-down named for a run, unless they are there. Throws what generating
// and writing them throws.
void make_missing_images(const ResolvedCommand& base);

}  // namespace scalemark::cli
