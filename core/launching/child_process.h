// One started process whose output arrives through two pipes. Knows nothing of ranks.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/launching/environment.h"

namespace scalemark::launching {

struct ChildProcess {
  pid_t pid = -1;
  Descriptor out, err;  // our ends, non-blocking
};

// The output of a process that somebody else starts: our ends (non-blocking) and its ends.
struct OutputPipes {
  Descriptor out, err, out_of_child, err_of_child;
};
OutputPipes make_output_pipes();  // throws Error (71)

struct ChildSpec {
  std::string program;                 // path
  std::vector<std::string> arguments;  // [0] becomes its argv[0]
  Environment environment;
  std::optional<int> inherited_fd;  // stays open in the child under the same number
};

// Starts it as the leader of a process group of its own, so that a terminal's Ctrl-C reaches it
// only through us, with /dev/null as input and every signal at its default, or ignored as it is
// here (core/base/threads.h). The kernel kills it when the calling thread ends, however that
// happens. Call it while the process has one thread. Throws Error (71) when it cannot be started.
ChildProcess start_child(const ChildSpec& spec);

}  // namespace scalemark::launching
