// A launch takes this of its machine: the CPUs and the memory node of a rank's place, descriptors,
// and a folder for temporary files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/launch/world.h"
#include "core/machine/places.h"

namespace scalemark::launching {

// Binds the calling thread, and all that it starts from then on, to the CPUs and the memory node of
// its place: call it before there are others.
// Throws system_error() (71) where the kernel refuses.
void bind_process(const placement::Place& place);

// A run needs files, pipes and sockets, of which a process may hold a limited number; SCALE.md
// has the measurements behind the figures.

// Opens /dev/null where standard input, output or error is closed: else the next socket would get
// that number, and be written to as standard output. Output then takes nothing, as before.
void fill_standard_descriptors();

// Raises the soft limit (`ulimit -Sn`, usually 1,024) to the hard one, at most to a million; the
// children inherit it. Returns the limit in force.
std::uint64_t raise_descriptor_limit();

// Returns an upper bound for a rank that meets the others `at` a place; libraries of GPUs and of
// MPI open more. `meshes`: how many groups at a time connect it to every other rank.
std::uint64_t descriptors_of_rank(int rank, int world_size, const Rendezvous& at, int meshes);

// These raise the limit, and throw Error (71) with both numbers where it is below what such a rank
// needs, or a launcher that starts `ranks` ranks. Without this check the run would hang in
// accepting connections, which does not show the cause.
void require_descriptors_of_rank(int rank, int world_size, const Rendezvous& at, int meshes);
void require_descriptors_of_launcher(int ranks);

// A launch puts files that it removes again into TMPDIR, or into /tmp where a job's TMPDIR is of
// another machine.

// Longest path of a socket, which mpirun's processes connect to (unix(7)).
inline constexpr std::size_t kLongestSocketPath = 107;

struct TemporaryPlace {
  std::string path;
  std::string note;  // says what cannot be used, and why; empty: nothing
};

// Finds a folder in which it can make a file, and removes the file. `longest_path`: the longest
// path of a file in a folder of the launch; 0: no limit. Throws Error (71) that names every place
// that cannot be used.
TemporaryPlace temporary_place(std::size_t longest_path = 0);

// A new folder in such a place, removed with its content at the end. Throws Error (71).
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& place);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace scalemark::launching
