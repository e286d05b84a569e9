// The built-in launcher: starts the ranks of one node, relays their output and signals, and ends
// them all when one fails. Knows nothing of what the ranks compute. docs/LAUNCHING.md.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/launch/outcome.h"
#include "core/launch/signal_scope.h"
#include "core/launch/variables.h"
#include "core/launch/world.h"

namespace scalemark::launching {

struct LaunchSpec {
  NodePlan plan;
  std::vector<std::string> arguments;       // every rank gets them; usually our own argv
  std::string program = "/proc/self/exe";   // each rank runs it
  Environment environment;                  // this process's own; launcher variables are removed
  int meshes = 0;                           // see descriptors_of_rank()
  bool verbose = false;                     // prefix rank 0's stderr too
  std::chrono::milliseconds grace{10'000};  // from a signal to SIGKILL
  std::chrono::milliseconds failure_grace{10'000};  // from the first failure to SIGTERM
  int stdout_fd = 1;
  int stderr_fd = 2;
  // Gives lines for our stderr another form, and is given whole ones; null: as they are.
  std::string (*form)(std::string_view lines) = nullptr;
};

struct LaunchResult {
  int exit_code = 0;
  std::vector<RankOutcome> outcomes;  // by rank of this node
  int stdout_error = 0;               // errno for which results were lost; 0: none
  // The first signal that asked to end (SIGHUP as SIGTERM), even if the ranks had already ended and
  // it changed no exit code.
  std::optional<int> interrupted_by;
};

// Returns when every rank has ended and its output is printed. Call it before the process has a
// second thread, and from a thread that outlasts the ranks: the kernel kills them when it ends.
//
// Output: rank 0's stdout passes unchanged and at once, as it holds the results. Its stderr passes
// unprefixed (with `verbose` behind "[0] "), at once on a terminal, else line by line. All output
// of the other ranks goes line by line to our stderr behind "[rank] ".
//
// Signals: SIGTERM, SIGINT, SIGUSR1 (and SIGHUP, as SIGTERM) are passed on once each; after `grace`
// the ranks still running are killed. A second SIGINT, a second or more later, kills at once. A
// signal that is ignored when this is called stays ignored, in the ranks too. SIGTSTP (Ctrl-Z)
// stops the ranks and then us, SIGCONT lets all of them continue.
//
// Where the plan names an mpirun, that program starts the ranks (mpirun.h), and all else stays as
// it is.
//
// Exit code: run_exit_code(). Throws Error (71) when a rank cannot be started; none is left then.
LaunchResult launch_local(const LaunchSpec& spec);

// The same for consecutive launches: signals that arrive after this one stay in `signals`.
LaunchResult launch_local(const LaunchSpec& spec, SignalScope& signals);

}  // namespace scalemark::launching
