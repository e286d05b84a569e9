// How the ranks of a node ended: the reason that each leaves where its launcher looks for it, and
// which of them was the cause. Knows nothing of how the ranks were started.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/machine/stacks.h"

namespace scalemark::launching {

// A rank writes the reason why it ended as one JSON object for our launcher, and for torchrun in
// the form that it prints. A rank that a signal killed cannot write one: its launcher does, for the
// ranks beside it.

struct RankError {
  ErrorRecord record;
  std::int64_t monotonic_ns = 0;  // when it was seen; comparable between processes of one host
};

// The first error of a rank is the cause, so an existing file is kept. Complete or absent, never
// half written. Throws Error (74).
void write_error_file(const std::filesystem::path& path, const ErrorRecord& record);

// A rank leaves this mark beside its error file before it ends with 1 or 2: without it, something
// else than our code ended the process. Best effort.
void write_verdict_mark(const std::filesystem::path& error_file) noexcept;
bool has_verdict_mark(const std::filesystem::path& error_file) noexcept;

// Returns nullopt when the file is missing or is no error file.
std::optional<RankError> read_error_file(const std::filesystem::path& path);

// A rank leaves in this file how it stands while the run makes no progress (core/live/hang.h), for
// a launcher whose rank 0 does not answer. The newest is kept.
std::filesystem::path hang_note_of(const std::filesystem::path& error_file);

// The error of a run that a signal asked to end:
// E_INTERRUPTED (130) for SIGINT, E_PREEMPTED (75) for every other signal. `has_report`: a report
// holds the finished part.
ErrorRecord interruption(int signal, bool has_report);

// Returns the earliest error of another rank of this node that can be a cause, so never
// E_PEER_LOST: what the rank wrote before it ended, or what the launcher wrote when a signal had
// killed it. `own_file` is this rank's error file, beside which the others lie.
std::optional<ErrorRecord> cause_beside(const std::filesystem::path& own_file) noexcept;

// Writes the form of TORCHELASTIC_ERROR_FILE: {"message": {"message", "errorCode", "extraInfo":
// {"py_callstack", "timestamp"}}}. Throws Error (74).
void write_torchelastic_error_file(const std::filesystem::path& path, const ErrorRecord& record);

std::int64_t monotonic_now_ns();

// The functions on outcomes are pure, and know nothing of processes.

struct RankOutcome {
  int rank = 0;
  int pid = 0;
  int exit_code = 0;               // meaningful without a signal
  int signal = 0;                  // the signal that killed it; 0: it exited
  std::int64_t ended_ns = 0;       // monotonic, when the launcher learned of it
  bool ended_by_launcher = false;  // the launcher ended it, so its end is no cause
  // How it stood when the launcher killed it; absent: it ended otherwise.
  std::optional<monitoring::ProcessStanding> stood;
  std::optional<std::string> hang_note;
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

// E_SYSTEM (71): code other than ours ended this process or a rank.
Error ended_by_library(int exit_code);

// Describes a rank that ended with a code that is none of ours, or with 1 or 2 without a verdict: a
// library does that on its own. Absent for any other end.
std::optional<ErrorRecord> foreign_end(const RankOutcome& outcome, bool has_verdict);

// Describes a rank that a signal killed before it could say why.
ErrorRecord killed_record(const RankOutcome& outcome);

// One line on the cause, then the last lines of its rank, indented.
std::string describe_cause(const RankOutcome& outcome, const Cause& cause);

}  // namespace scalemark::launching
