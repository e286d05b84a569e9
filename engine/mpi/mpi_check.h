// The check of MPI's calls, and MPI's names of our data types and operations. Only the files around
// mpi.h include it.
#pragma once

#include <mpi.h>

#include <string>

#include "core/base/error.h"
#include "engine/mpi/communicator.h"

namespace scalemark::mpi {

// Throws E_PEER_LOST (69) with MPI's text, since in a started MPI only its network or a peer fails.
inline void check(int code, const char* function) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw make_error(std::string(kPeerLostCode), ExitCode::kPeerLost, ErrorDomain::kNetwork,
                   std::string(function) + " failed: " + std::string(text, text + length));
}

MPI_Datatype mpi_type(DataType type);

// Returns MPI's operation. Those on 16-bit floats are our own: made at the first use, they stay
// until the process ends.
MPI_Op mpi_operation(DataType type, Operation operation);

}  // namespace scalemark::mpi
