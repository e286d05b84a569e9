// The detection's way in and out: what it asks of this process and its machine (declared by
// detect.h, but for the launcher's words), and the lines that `scalemark doctor` prints of what it
// found.
#pragma once

#include <string>
#include <vector>

#include "core/launch/detect.h"

namespace scalemark::launching {

// "rank 5 of 8                RANK, WORLD_SIZE": one line per field with the variable or option
// that it came from, then notes; or the problems, when there are any.
std::vector<std::string> describe(const Detection& detection);

// The words before this program's name on a command line that ends with `arguments`; none where it
// does not, or where a secret may be among them.
std::vector<std::string> words_before(std::vector<std::string> command_line,
                                      const std::vector<std::string>& arguments);

// Impure: the words that started this rank, up to this program's name: "mpirun", "-n", "2". They
// are those of the process that set the rank's variables, or of one above it. None: the launcher
// is no such process, as srun and a mpirun on another machine, or a script has our arguments.
std::vector<std::string> launcher_words(const World& world,
                                        const std::vector<std::string>& arguments);

}  // namespace scalemark::launching
