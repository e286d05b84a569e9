// Which MPI library the ranks of a run use, where one of its backends is MPI, whose mpirun starts
// them, and which backends cannot run here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/scalemark/rank_command.h"
#include "core/launching/environment.h"
#include "core/launching/mpi_library.h"

namespace scalemark::cli {

// Whose parts lie beside the program: names of launching::kMpiLibraries, in that order.
std::vector<std::string> built_mpi_libraries();

// The path of a library's mpirun on PATH; empty: none. Where a plain `mpirun` is there alone, the
// name behind its links tells whose it is.
std::string find_mpirun(const launching::MpiLibrary& library,
                        const launching::Environment& environment);

// Settles the library in `resolved` when `backends`, names of --backend, hold one that needs MPI.
// Throws as choose_mpi_library() does; system_error() (71) when there is no mpirun to start the
// ranks with.
void settle_mpi(ResolvedCommand& resolved, const std::vector<std::string>& backends);

// Backends that cannot run here, with the reason. `base`: of the ranks that are launched; whether
// MPI can start or serve them is tried on a copy.
std::map<std::string, std::string> missing_backends(ResolvedCommand base);

}  // namespace scalemark::cli
