// doctor has these rows on MPI: each library, our part for it, and the mpirun that would start
// ranks.
#pragma once

#include <string>
#include <vector>

namespace scalemark::cli {

// One line for each library: "Open MPI 4.1.4, libscalemark_mpi_openmpi.so,
// /usr/bin/mpirun.openmpi"; what is missing is named with what to install. Loads the libraries,
// does not start MPI.
std::vector<std::string> mpi_lines();

}  // namespace scalemark::cli
