// Loads the part of the MPI library that a run uses, and not before.
#pragma once

#include <string>

#include "engine/mpi/mpi_api.h"

namespace scalemark::distributed {

// `library`: "openmpi" or "mpich"; its part is in `library_folder`. Throws system_error() (71):
// when the MPI library is not there, it says what to install.
const mpi::MpiApi& load_mpi_part(const std::string& library_folder, const std::string& library);

}  // namespace scalemark::distributed
