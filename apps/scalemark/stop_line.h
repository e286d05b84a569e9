// The one line with which a command of a single process ends when it is asked to stop, where
// nothing has to be put in order first.
#pragma once

#include <string>

namespace scalemark::cli {

// While it lives, SIGINT ends the process with 130, SIGTERM and SIGUSR1 with 75, and the line says
// `what` and `hint`; a signal that is ignored stays so. At most one at a time: a signal handler
// takes no argument.
class StopLine {
 public:
  StopLine(const std::string& what, const std::string& hint);
  ~StopLine();
  StopLine(const StopLine&) = delete;
  StopLine& operator=(const StopLine&) = delete;
};

}  // namespace scalemark::cli
