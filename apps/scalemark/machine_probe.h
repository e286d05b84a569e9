// Looks at this machine for what settings and the ranks of a launch must know of it: CPUs, GPUs,
// memory, backends, MPI libraries; --scale-down fits the settings to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/scalemark/rank_command.h"
#include "core/launch/environment.h"
#include "core/launch/mpi_library.h"
#include "core/plan/estimates.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"

namespace scalemark::cli {

struct ProbedMachine {
  settings::Machine machine;
  std::string cpu_name;
  int gpus_without_cuda_plugin =
      0;  // visible, but this program was built without libscalemark_cuda.so
};

// Loads no torch, and the driver's management library only where there are GPUs.
ProbedMachine probe_machine();

// How CPUs and GPUs lie, where `raw` asks for ranks to be bound.
void probe_topology(const settings::RawSettings& raw, settings::Machine& machine);

// The built-in launcher passes its own date to its ranks. With the time of each of several starts,
// the ranks of one sweep would write into folders of their own.
inline constexpr const char* kStartDate = "SCALEMARK_START_DATE";

// `job`: the run id when one was given, else the launcher's job number, else "none". `date`: now,
// of a rank its launcher's.
settings::Place probe_place(const std::string& given_run_id);

// A plan for GPUs can be made on a laptop or a login node. Returns what is said of it; empty: there
// is nothing to assume.
std::string assume_gpus(const settings::RawSettings& raw, settings::Machine& machine);

// The memory of the machine as a whole, with its first GPU.
planning::AvailableMemory memory_there();

// The least that one of the ranks can use, all on machines like this one. Absent: unknown.
std::optional<std::uint64_t> memory_available(const ResolvedCommand& base);

// MPI libraries whose plugins lie beside the program: names of launching::kMpiLibraries, in that
// order.
std::vector<std::string> built_mpi_libraries();

// The path of a library's mpirun on PATH; empty: none. Where a plain `mpirun` is there alone, the
// name behind its links tells whose it is.
std::string find_mpirun(const launching::MpiLibrary& library,
                        const launching::Environment& environment);

// Settles the MPI library in `resolved` when `backends`, names of --backend, hold one that needs
// MPI. Throws as choose_mpi_library() does; system_error() (71) when there is no mpirun to start
// the ranks with.
void resolve_mpi(ResolvedCommand& resolved, const std::vector<std::string>& backends);

// Backends that cannot run here, with the reason. `base`: of the ranks that are launched; whether
// MPI can start or serve them is tried on a copy.
std::map<std::string, std::string> missing_backends(ResolvedCommand base);

// --scale-down carries out what core/plan/scale_down.h decides: changes `layers` where they ask
// for it, adds a note of what was changed, and keeps the changes in `base` for the report.
void scale_down(settings::Command command, const settings::Machine& machine,
                settings::Layers& layers, ResolvedCommand& base);

// The value of --scale-down stands behind "=" only: `--scale-down 5m` leaves a word over, and
// usage() (64) says what to type.
void refuse_stray_time(const Invocation& invocation);

// Makes the images that a run was given by that, unless they are there. Throws what generating and
// writing them throws.
void make_missing_images(const ResolvedCommand& base);

}  // namespace scalemark::cli
