// Where a launch puts files that it removes again: TMPDIR, or /tmp where a job's TMPDIR is of
// another machine. Knows nothing of what the files hold.
#pragma once

#include <cstddef>
#include <string>

namespace scalemark::launching {

// Longest path of a socket, which mpirun's processes connect to (unix(7)).
inline constexpr std::size_t kLongestSocketPath = 107;

struct TemporaryPlace {
  std::string path;
  std::string note;  // what cannot be used, and why; empty: nothing
};

// Makes a file there and removes it. `longest_path`: that files in a folder of the launch may have;
// 0: no limit. Throws Error (71) that names every place that cannot be used.
TemporaryPlace temporary_place(std::size_t longest_path = 0);

}  // namespace scalemark::launching
