// The files around mpi.h share this. Only they include it.
#pragma once

#include <mpi.h>

#include <string>

#include "core/base/error.h"

namespace scalemark::mpi {

// Throws E_PEER_LOST (69) with MPI's text: what fails in a started MPI is its network or a peer.
inline void check(int code, const char* function) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw make_error("E_PEER_LOST", ExitCode::kPeerLost, ErrorDomain::kNetwork,
                   std::string(function) + " failed: " + std::string(text, text + length));
}

}  // namespace scalemark::mpi
