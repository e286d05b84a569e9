// The processes of a run's ranks, and whether they still exist. MPI does not notice this: a rank
// whose peer was killed waits in a collective for ever. Knows neither MPI nor torch.
#pragma once

#include <cstdint>

namespace scalemark::mpi {

// Plain data that is sent between ranks.
struct Process {
  std::uint64_t host = 0;  // hashes the machine's name and its namespace of process ids
  std::int64_t pid = 0;
};

Process own_process();

// Whether a process of this machine has ended. Returns false for one of another machine, of which
// nothing is known here.
bool has_ended(const Process& process, const Process& own);

}  // namespace scalemark::mpi
