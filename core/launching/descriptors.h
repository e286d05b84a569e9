// How many files, pipes and sockets a process may hold, and how many a run needs. docs/SCALE.md has
// the measurements behind the figures.
#pragma once

#include <cstdint>

namespace scalemark::launching {

// Opens /dev/null where standard input, output or error is closed: else the next socket would get
// that number, and be written to as standard output. Output then takes nothing, as before.
void fill_standard_descriptors();

// Raises the soft limit (`ulimit -Sn`, usually 1,024) to the hard one, at most to a million; the
// children inherit it. Returns the limit in force.
std::uint64_t raise_descriptor_limit();

// Upper bounds for a rank of a run, and for a launcher that starts `ranks` ranks.
std::uint64_t descriptors_of_rank(int rank, int world_size);
std::uint64_t descriptors_of_launcher(int ranks);

// Throws Error (71) with both numbers when `limit` is below what `who` needs. Without this check
// the run would hang in accepting connections, which does not show the cause.
void require_descriptors(std::uint64_t needed, std::uint64_t limit, const char* who, int ranks);

}  // namespace scalemark::launching
