// MPI's collectives without c10d, for a benchmark of what c10d adds. Knows no mpi.h.
#pragma once

#include <memory>

#include "engine/distributed/backend.h"
#include "engine/mpi/communicator.h"

namespace scalemark::mpi {

// `communicator` must outlive it.
std::unique_ptr<distributed::DirectCommunicator> make_direct(Communicator& communicator);

}  // namespace scalemark::mpi
