// MPI's names of our data types and operations; those of 16-bit floats are our own. Includes mpi.h.
#pragma once

#include <mpi.h>

#include "engine/mpi/communicator.h"

namespace scalemark::mpi {

MPI_Datatype mpi_type(DataType type);

// Made at the first use; stays until the process ends.
MPI_Op mpi_operation(DataType type, Operation operation);

}  // namespace scalemark::mpi
