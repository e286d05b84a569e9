// A rank of the built-in launcher that mpirun starts, so that MPI connects it. Mpirun starts this
// program once per rank; each of these processes asks the launcher who it is, becomes the parent of
// the rank, passes its end on, and stays until all ranks have ended. So the launcher has the rank's
// own output, process id and exit status, and mpirun, which kills the others when one ends, learns
// of no end before the last.
#pragma once

#include <string_view>

namespace scalemark::launching {

inline constexpr std::string_view kLauncherSocketVariable = "SCALEMARK_LAUNCHER_SOCKET";

// Call it first in main(), while the process has one thread. Returns in the rank, whose environment
// then names its place; returns at once in a process that is none of mpirun's. The parent ends in
// here. Throws Error (71) when the launcher does not answer.
void become_rank_of_mpirun();

}  // namespace scalemark::launching
