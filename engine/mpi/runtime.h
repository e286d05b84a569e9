// MPI in this process, from its start to its end. Knows no groups and no torch.
#pragma once

#include <string>
#include <vector>

#include "core/launch/world.h"
#include "engine/mpi/peers.h"

namespace scalemark::mpi {

// Starts MPI; collective over all ranks that the launcher has started, once per process. Afterwards
// any thread may call MPI at any time, since a watchdog must be able to abort while the main thread
// is in a collective. Throws configuration() (78) when MPI counts other ranks than `world`, which
// shows that another library's launcher has started them.
void start(const launching::World& world);
bool is_started() noexcept;

// Lists the processes of every rank of the world, in order.
const std::vector<Process>& processes();

// Ends MPI in a healthy run; collective over the world.
void finish();

// Ends this process, from any thread, and with it all ranks of the run: MPI_Abort. A rank other
// than 0 first gives rank 0, which writes the report, some seconds to end by itself. Under the
// built-in launcher only this process ends: that launcher ends the others, and gives them time.
[[noreturn]] void abort(int exit_code) noexcept;

std::string built_version();  // "Open MPI 4.1.4"
std::string running_version();

}  // namespace scalemark::mpi
