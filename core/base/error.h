// A failure is one record with a fixed set of fields, one line when printed, and one exit code when
// it ends the program. Knows nothing of who catches it.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.h"

namespace scalemark {

// The exit codes of the program (docs/FAULTS.md). Frozen: scripts and schedulers depend on them.
enum class ExitCode : int {
  kPass = 0,
  kFail = 1,    // a rule is violated, or a finding of severity error
  kUnsure = 2,  // incomplete or unsure
  kUsage = 64,  // unknown option or command, missing argument
  kBadData = 65,
  kNoInput = 66,
  kPeerLost = 69,  // peer or rendezvous lost
  kBug = 70,
  kSystem = 71,  // OS limit, torch missing or of another version, driver or device too old
  kCannotCreateOutput = 73,
  kIo = 74,
  kPreempted = 75,  // SIGTERM or SIGUSR1, all flushed
  kRanksDisagree = 76,
  kPermission = 77,
  kConfiguration = 78,  // bad value, unknown workload, unparsable file, unknown or duplicate key
  kOutOfMemory = 80,
  kHang = 81,
  kNumerics = 82,
  kSilentCorruption = 83,
  kGpuFault = 84,
  kInterrupted = 130,  // Ctrl-C
};

// Who has to act on an error: the class that fault-finding starts from.
enum class ErrorDomain { kHardware, kNetwork, kSoftware, kData, kLaunch };
constexpr auto words_of(ErrorDomain) {
  return std::to_array<Word<ErrorDomain>>({{ErrorDomain::kHardware, "hardware"},
                                           {ErrorDomain::kNetwork, "network"},
                                           {ErrorDomain::kSoftware, "software"},
                                           {ErrorDomain::kData, "data"},
                                           {ErrorDomain::kLaunch, "launch"}});
}

// How the process of a rank stood, by the system's word (proc(5)).
enum class ProcessState { kRuns, kSleeps, kInKernel, kStopped, kGone, kUnknown };
constexpr auto words_of(ProcessState) {
  return std::to_array<Word<ProcessState>>({{ProcessState::kRuns, "runs"},
                                            {ProcessState::kSleeps, "sleeps"},
                                            {ProcessState::kInKernel, "in_kernel"},
                                            {ProcessState::kStopped, "stopped"},
                                            {ProcessState::kGone, "gone"},
                                            {ProcessState::kUnknown, "unknown"}});
}

// How a rank stood in a run that makes no progress.
enum class HangKind { kWaits, kStopped, kReads, kFileSystem, kDriver, kBusy, kGone, kSilent };
constexpr auto words_of(HangKind) {
  return std::to_array<Word<HangKind>>({{HangKind::kWaits, "waits"},
                                        {HangKind::kStopped, "stopped"},
                                        {HangKind::kReads, "reads"},
                                        {HangKind::kFileSystem, "file_system"},
                                        {HangKind::kDriver, "driver"},
                                        {HangKind::kBusy, "busy"},
                                        {HangKind::kGone, "gone"},
                                        {HangKind::kSilent, "silent"}});
}

struct HungRank {
  int rank = 0;
  std::string host;
  ProcessState state = ProcessState::kUnknown;
  HangKind kind = HangKind::kSilent;
  std::string phase;
  std::optional<std::int64_t> step, collectives;
  std::string stack;  // the innermost functions of its main thread
};

struct Hang {
  std::string folder;  // holds the stacks
  std::vector<HungRank> ranks;
};

// The thrower sets code, exit_code, domain, what, expected and hint; its callers add rank, host,
// phase, point and step where they know them. `what` says what was seen, `expected` what is allowed
// or was expected (empty where `what` says it all), `hint` what to do (empty where nothing helps).
struct ErrorRecord {
  std::string code;  // "E_BAD_SAMPLE": stable, for scripts; listed in docs/FAULTS.md
  ExitCode exit_code = ExitCode::kBug;
  ErrorDomain domain = ErrorDomain::kSoftware;
  std::string what;
  std::string expected;
  std::string hint;
  std::optional<int> rank;
  std::string host;
  std::string phase;
  std::string point;
  std::optional<std::int64_t> step;
  std::optional<Hang> hang;  // in the error of the report only
};

// Codes that several rooms treat apart: whoever has lost a peer is not the one that failed, a rank
// that was killed says nothing itself, and of a hang the ranks' stacks are kept.
inline constexpr std::string_view kPeerLostCode = "E_PEER_LOST";
inline constexpr std::string_view kRankKilledCode = "E_RANK_KILLED";
inline constexpr std::string_view kHangCode = "E_HANG";

// `scalemark: error E_NAME (exit 76) rank=3 host=n7 phase=preflight: seen; expected. Hint: do
// this.` Always one line: control characters inside the fields are escaped.
std::string format_error_line(const ErrorRecord& record);

// `text` with its control characters escaped: one line, whatever file name or message it quotes.
std::string on_one_line(std::string_view text);

// The one exception type that our code throws on purpose. Everything else that arrives at main is a
// bug (70) or is translated where the foreign library is called.
class Error : public std::runtime_error {
 public:
  explicit Error(ErrorRecord record);
  const ErrorRecord& record() const { return record_; }

 private:
  ErrorRecord record_;
};

// Shorthands for the commonest errors. `what`, `expected` and `hint` as in ErrorRecord.
Error bad_data(std::string what, std::string expected = {},
               std::string hint = {});  // E_BAD_DATA, 65
Error no_input(std::string what, std::string expected = {},
               std::string hint = {});  // E_NO_INPUT, 66
Error io_error(std::string what, std::string expected = {}, std::string hint = {});  // E_IO, 74
Error cannot_create(std::string what, std::string expected = {},
                    std::string hint = {});  // E_CANNOT_CREATE, 73
Error configuration(std::string what, std::string expected = {},
                    std::string hint = {});  // E_CONFIGURATION, 78
Error usage(std::string what, std::string expected = {}, std::string hint = {});  // E_USAGE, 64
Error system_error(std::string what, std::string expected = {},
                   std::string hint = {});  // E_SYSTEM, 71
Error bug(std::string what);                // E_BUG, 70

// Makes an error with a code of its own, for rooms that add to these shorthands. It does not know
// the codes: docs/FAULTS.md lists them.
Error make_error(std::string code, ExitCode exit_code, ErrorDomain domain, std::string what,
                 std::string expected = {}, std::string hint = {});

// Returns what an exception says, for a failure that is printed beside another one, which is the
// error ("scalemark: while ending: ..."): without the "scalemark: " that lines of errors begin
// with, since the remark has one of its own. Allocates nothing, for memory may be what is lacking.
inline std::string_view remark_of(const std::exception& error) noexcept {
  constexpr std::string_view kProgram = "scalemark: ";
  std::string_view text = error.what();
  if (text.starts_with(kProgram)) text.remove_prefix(kProgram.size());
  return text;
}

}  // namespace scalemark
