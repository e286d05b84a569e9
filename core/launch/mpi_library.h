// The MPI libraries that a run may use, and which of them belongs to the launcher that started this
// process: ranks of one library's launcher cannot meet over the other's. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch/detect.h"
#include "core/launch/variables.h"

namespace scalemark::launching {

struct MpiLibrary {
  std::string_view name;      // a value of --mpi-library
  std::string_view title;     // "Open MPI"
  std::string_view part;      // our library for it, beside the program: see library_for()
  std::string_view soname;    // its own library
  std::string_view launcher;  // Debian's name of its mpirun
  std::string_view package;   // Debian's package with the library and its launcher
  std::string_view headers;   // Debian's package for building
};

// They are in the order in which --mpi-library auto takes them where no launcher decides.
inline constexpr std::array kMpiLibraries = {
    MpiLibrary{"openmpi", "Open MPI", "mpi_openmpi", "libmpi.so.40", "mpirun.openmpi",
               "openmpi-bin", "libopenmpi-dev"},
    MpiLibrary{"mpich", "MPICH", "mpi_mpich", "libmpich.so.12", "mpirun.mpich", "mpich",
               "libmpich-dev"},
};

// Throws bug() for a name that is not in the list.
const MpiLibrary& mpi_library(std::string_view name);

// The launcher that started a rank which MPI can connect.
struct MpiLauncher {
  std::string_view library;   // name of the library whose ranks these are; empty: none started it
  std::string_view variable;  // the variable that says so
  bool either = false;        // PMIx serves both libraries
};
MpiLauncher mpi_launcher_of(const Environment& environment);

// The library for this process, a rank or the launcher of one node's ranks. `wanted`: as
// --mpi-library; `built`: names of the libraries whose plugins are there. Throws configuration()
// (78) for ranks that MPI cannot connect, and when launcher, option and plugins do not fit
// together; system_error() (71) when no plugin is there at all.
const MpiLibrary& choose_mpi_library(const Detection& detection, const Environment& environment,
                                     const std::string& wanted,
                                     const std::vector<std::string>& built);

// "Open MPI 4.1.4" or "MPICH 4.0.2" from what MPI_Get_library_version returns; of a text in another
// form its first line.
std::string mpi_version_in(std::string_view text);

}  // namespace scalemark::launching
