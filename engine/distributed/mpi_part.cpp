#include "engine/distributed/mpi_part.h"

#include <cstdlib>

#include "core/base/part.h"
#include "core/launching/mpi_library.h"

namespace scalemark::distributed {
namespace {

// UCX, which both libraries may stand on, reads its variables while it is loaded. Without these it
// takes the handlers of signals, which are ours, and prints a backtrace for every peer that is
// gone.
void set_variables_of_ucx() {
  setenv("UCX_HANDLE_ERRORS", "none", 0);
  setenv("UCX_WARN_UNUSED_ENV_VARS", "n", 0);
}

}  // namespace

// Open MPI's components look for symbols of their library: it is opened for all to see.
const mpi::MpiApi& load_mpi_part(const std::string& library_folder, const std::string& library) {
  const launching::MpiLibrary& mpi = launching::mpi_library(library);
  const std::string advice = "`apt-get install " + std::string(mpi.package) +
                             "` on every machine of the run, or use --backend gloo";
  set_variables_of_ucx();
  open_library(std::string(mpi.soname), std::string(mpi.title), advice);
  return open_part_as<mpi::MpiApi>({.path = library_folder + "/" + std::string(mpi.part),
                                    .symbol = "scalemark_mpi_api",
                                    .abi = mpi::kMpiAbi,
                                    .advice = advice});
}

}  // namespace scalemark::distributed
