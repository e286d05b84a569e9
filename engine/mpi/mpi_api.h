// The interface of MPI's plugin for the engine: libscalemark_mpi_openmpi or
// libscalemark_mpi_mpich, the same sources built with either library's mpi.h. No MPI header may
// be included here.
#pragma once

#include "core/base/plugin.h"

namespace scalemark::distributed {
class BackendProvider;
}

namespace scalemark::mpi {

inline constexpr const char* kMpiAbi = "scalemark-mpi/1";

struct MpiApi {
  PluginStamp stamp;

  // Returns a provider that lives as long as the process.
  const distributed::BackendProvider& (*provider)();
};

}  // namespace scalemark::mpi

extern "C" const scalemark::mpi::MpiApi* scalemark_mpi_api();
