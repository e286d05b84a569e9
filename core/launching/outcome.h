// How the ranks of a node ended, and which of them was the cause. Pure; knows nothing of processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/launching/error_file.h"

namespace scalemark::launching {

struct RankOutcome {
  int rank = 0;
  int pid = 0;
  int exit_code = 0;               // meaningful without a signal
  int signal = 0;                  // the signal that killed it; 0: it exited
  std::int64_t ended_ns = 0;       // monotonic, when the launcher learned of it
  bool ended_by_launcher = false;  // the launcher ended it, so its end is no cause
  std::optional<RankError> error;  // from its error file
  std::vector<std::string> last_lines;
};

struct Cause {
  int rank = 0;
  int exit_code = 0;
  std::int64_t at_ns = 0;
  bool silent = false;  // killed by a signal before it wrote an error file
};

// The initiating fault: the earliest end that is neither success nor "peer lost" (69). A rank that
// a signal killed before it could report why counts as 69 for the run, yet it is a cause, ahead of
// what others report of it; one that aborts (SIGABRT) comes behind a death of the same moment.
// Codes 1 and 2 are verdicts, not faults: they count when there is nothing worse, rank 0's first.
// 69 alone wins only over success. Absent when all ranks succeeded.
std::optional<Cause> find_cause(const std::vector<RankOutcome>& outcomes);

// The launcher's exit code. `interrupted_ns` and `interrupt_signal`: the signal that asked the run
// to end, if one came; a fault before it is still the cause, one after it follows from it.
int run_exit_code(const std::vector<RankOutcome>& outcomes, int interrupt_signal,
                  std::int64_t interrupted_ns);

// Whether the ranks' own output explains the run's end: a verdict (1, 2), or an end that is no
// rank's fault. In the latter case all ended with the cause's code, none with an error, and some
// rank printed lines.
bool was_explained(const std::vector<RankOutcome>& outcomes, const Cause& cause);

// Whether the table of docs/FAULTS.md has the code.
bool is_exit_code(int code);

// E_SYSTEM (71): not our code ended this process or a rank.
Error ended_by_library(int exit_code);

// Describes a rank that ended with a code that is none of ours, or with 1 or 2 without a verdict: a
// library does that on its own. Absent for any other end.
std::optional<ErrorRecord> foreign_end(const RankOutcome& outcome, bool has_verdict);

// Describes a rank that a signal killed before it could say why.
ErrorRecord killed_record(const RankOutcome& outcome);

// One line on the cause, then its last lines, indented.
std::string describe_cause(const RankOutcome& outcome, const Cause& cause);

}  // namespace scalemark::launching
