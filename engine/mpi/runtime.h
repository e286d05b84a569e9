// MPI in this process, from its start to its end. Knows no groups and no torch.
#pragma once

#include <string>
#include <vector>

#include "core/launch/world.h"
#include "engine/mpi/peers.h"

namespace scalemark::mpi {

// Collective over all ranks that the launcher has started; once per process. Threads may call MPI
// at any time afterwards: a watchdog must be able to abort while the main thread is in a
// collective. Throws configuration() (78) when MPI counts the ranks differently than `world`: then
// another library's launcher has started them.
void start(const launching::World& world);
bool is_started() noexcept;

// Lists the processes of every rank of the world, in order.
const std::vector<Process>& processes();

// The healthy end; collective over the world.
void finish();

// Ends this process, from any thread, and with it all ranks of the run: MPI_Abort. A rank that is
// not 0 first gives rank 0, which writes the report, some seconds to end by itself. Under the
// built-in launcher only this process: that launcher ends the others, and gives them time.
[[noreturn]] void abort(int exit_code) noexcept;

std::string built_version();  // "Open MPI 4.1.4"
std::string running_version();

}  // namespace scalemark::mpi
