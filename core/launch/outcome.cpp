#include "core/launch/outcome.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/field.h"
#include "core/base/record_json.h"
#include "core/machine/text_file.h"

namespace scalemark::launching {

template <class A>
constexpr void fields(A& a, typename A::template Field<RankError>& e) {
  a.part(e.record, [&](auto& inner) { fields(inner, e.record); });
  a("monotonic_ns", e.monotonic_ns, {});
}

namespace {

namespace fs = std::filesystem;

fs::path verdict_mark(const fs::path& error_file) { return error_file.string() + ".verdict"; }

}  // namespace

std::int64_t monotonic_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void write_error_file(const fs::path& path, const ErrorRecord& record) {
  const RankError error{.record = record, .monotonic_ns = monotonic_now_ns()};
  AtomicFile file(path);
  file.append(dumped(as_json(error, "error")) + '\n');
  file.commit_unless_there();
}

void write_verdict_mark(const fs::path& error_file) noexcept {
  const std::ofstream mark(verdict_mark(error_file));
}

bool has_verdict_mark(const fs::path& error_file) noexcept {
  std::error_code unknown;
  return fs::exists(verdict_mark(error_file), unknown);
}

fs::path hang_note_of(const fs::path& error_file) { return error_file.string() + ".hang"; }

std::optional<RankError> read_error_file(const fs::path& path) {
  const auto text = monitoring::read_text(path);
  if (!text) return {};
  try {
    return record_in<RankError>(FieldJson::parse(*text), "error");
  } catch (const FieldJson::exception&) {
    return {};
  } catch (const Error&) {
    return {};
  }
}

ErrorRecord interruption(int signal, bool has_report) {
  ErrorRecord record;
  record.code = signal == SIGINT ? "E_INTERRUPTED" : "E_PREEMPTED";
  record.exit_code = signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kPreempted;
  record.domain = ErrorDomain::kLaunch;
  record.what = "stopped by signal " + std::to_string(signal) + " before the run was complete";
  if (has_report) record.hint = "report.json holds what was finished";
  return record;
}

std::optional<ErrorRecord> cause_beside(const fs::path& own_file) noexcept try {
  std::optional<RankError> first;
  for (const auto& entry : fs::directory_iterator(own_file.parent_path())) {
    if (entry.path().filename() == own_file.filename()) continue;
    auto error = read_error_file(entry.path());
    if (!error || error->record.code == kPeerLostCode) continue;
    if (!first || error->monotonic_ns < first->monotonic_ns) first = std::move(error);
  }
  if (!first) return std::nullopt;
  return std::move(first->record);
} catch (const std::exception&) {  // the launcher has removed the folder, or memory is lacking
  return std::nullopt;
}

void write_torchelastic_error_file(const fs::path& path, const ErrorRecord& record) {
  const FieldJson json = {{"message",
                           {{"message", format_error_line(record)},
                            {"errorCode", static_cast<int>(record.exit_code)},
                            {"extraInfo",
                             {{"py_callstack", format_error_line(record)},
                              {"timestamp", std::to_string(std::time(nullptr))}}}}}};
  AtomicFile file(path);
  file.append(dumped(json) + '\n');
  file.commit();
}

namespace {

// A peer may record the lost connection before the kernel reports the exit that caused it.
constexpr std::int64_t kReapingDelay_ns = 500'000'000;
// A rank aborts of its own accord, perhaps over a peer that is gone (UCX does, on which MPICH
// stands), and the kernel may report that end first.
constexpr std::int64_t kAbortingDelay_ns = kReapingDelay_ns / 2;

enum class Weight { kNone, kPeerLost, kVerdict, kFault };

bool is_silent(const RankOutcome& outcome) { return outcome.signal != 0 && !outcome.error; }

int code_of(const RankOutcome& outcome) {
  if (outcome.error) return static_cast<int>(outcome.error->record.exit_code);
  if (outcome.signal != 0) return static_cast<int>(ExitCode::kPeerLost);
  return outcome.exit_code;
}

std::int64_t time_of(const RankOutcome& outcome) {
  if (outcome.error) return outcome.error->monotonic_ns;
  if (!is_silent(outcome)) return outcome.ended_ns;
  return outcome.ended_ns - (outcome.signal == SIGABRT ? kAbortingDelay_ns : kReapingDelay_ns);
}

// A rank that ends because of a signal says so by one of these codes.
bool says_interrupted(const RankOutcome& outcome) {
  const int code = code_of(outcome);
  return code == static_cast<int>(ExitCode::kPreempted) ||
         code == static_cast<int>(ExitCode::kInterrupted);
}

Weight weight_of(const RankOutcome& outcome) {
  if (outcome.ended_by_launcher && (!outcome.error || says_interrupted(outcome))) {
    return Weight::kNone;
  }
  if (is_silent(outcome)) return Weight::kFault;
  const int code = code_of(outcome);
  if (outcome.signal == 0 && outcome.exit_code == 0) return Weight::kNone;
  if (code == static_cast<int>(ExitCode::kPeerLost)) return Weight::kPeerLost;
  if (code == 1 || code == 2) return Weight::kVerdict;
  return Weight::kFault;
}

// Orders outcomes of equal weight: verdicts by rank, everything else by time.
bool before(const RankOutcome& a, const RankOutcome& b, Weight weight) {
  return weight == Weight::kVerdict ? a.rank < b.rank : time_of(a) < time_of(b);
}

bool lost_the_report(const RankOutcome& outcome) {
  const int code = code_of(outcome);
  return code == static_cast<int>(ExitCode::kCannotCreateOutput) ||
         code == static_cast<int>(ExitCode::kIo);
}

const char* signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? name : "?";
}

}  // namespace

std::optional<Cause> find_cause(const std::vector<RankOutcome>& outcomes) {
  const RankOutcome* worst = nullptr;
  Weight most = Weight::kNone;
  for (const auto& outcome : outcomes) {
    const Weight weight = weight_of(outcome);
    if (weight == Weight::kNone || weight < most) continue;
    if (weight > most || before(outcome, *worst, weight)) worst = &outcome;
    most = weight;
  }
  if (worst == nullptr) return {};
  return Cause{worst->rank, code_of(*worst), time_of(*worst), is_silent(*worst)};
}

int run_exit_code(const std::vector<RankOutcome>& outcomes, int interrupt_signal,
                  std::int64_t interrupted_ns) {
  bool all_succeeded = true;
  std::vector<RankOutcome> earlier;
  for (const auto& outcome : outcomes) {
    all_succeeded = all_succeeded && outcome.signal == 0 && outcome.exit_code == 0;
    const auto at_ns = outcome.error ? outcome.error->monotonic_ns : outcome.ended_ns;
    if (interrupt_signal == 0 || at_ns < interrupted_ns) earlier.push_back(outcome);
    // 75 and 130 promise that the report is written.
    if (interrupt_signal != 0 && outcome.rank == 0 && lost_the_report(outcome)) {
      return code_of(outcome);
    }
  }
  if (all_succeeded) return 0;
  if (const auto cause = find_cause(earlier)) return cause->exit_code;
  if (interrupt_signal == 0) return static_cast<int>(ExitCode::kPeerLost);
  return static_cast<int>(interrupt_signal == SIGINT ? ExitCode::kInterrupted
                                                     : ExitCode::kPreempted);
}

bool was_explained(const std::vector<RankOutcome>& outcomes, const Cause& cause) {
  if (cause.silent) return false;
  if (cause.exit_code <= 2) return true;
  const auto agrees = [&](const RankOutcome& outcome) {
    return outcome.signal == 0 && !outcome.error && outcome.exit_code == cause.exit_code;
  };
  const auto spoke = [](const RankOutcome& outcome) { return !outcome.last_lines.empty(); };
  return std::ranges::all_of(outcomes, agrees) && std::ranges::any_of(outcomes, spoke);
}

bool is_exit_code(int code) {
  switch (static_cast<ExitCode>(code)) {
    case ExitCode::kPass:
    case ExitCode::kFail:
    case ExitCode::kUnsure:
    case ExitCode::kUsage:
    case ExitCode::kBadData:
    case ExitCode::kNoInput:
    case ExitCode::kPeerLost:
    case ExitCode::kBug:
    case ExitCode::kSystem:
    case ExitCode::kCannotCreateOutput:
    case ExitCode::kIo:
    case ExitCode::kPreempted:
    case ExitCode::kRanksDisagree:
    case ExitCode::kPermission:
    case ExitCode::kConfiguration:
    case ExitCode::kOutOfMemory:
    case ExitCode::kHang:
    case ExitCode::kNumerics:
    case ExitCode::kSilentCorruption:
    case ExitCode::kGpuFault:
    case ExitCode::kInterrupted:
      return true;
  }
  return false;
}

Error ended_by_library(int exit_code) {
  return system_error("a library ended the process with exit code " + std::to_string(exit_code), {},
                      "what it printed before says why");
}

std::optional<ErrorRecord> foreign_end(const RankOutcome& outcome, bool has_verdict) {
  const int code = outcome.exit_code;
  const bool is_verdict =
      code == static_cast<int>(ExitCode::kFail) || code == static_cast<int>(ExitCode::kUnsure);
  if (outcome.signal != 0 || outcome.error || (is_verdict ? has_verdict : is_exit_code(code)))
    return std::nullopt;
  ErrorRecord record = ended_by_library(code).record();
  record.rank = outcome.rank;
  return record;
}

ErrorRecord killed_record(const RankOutcome& outcome) {
  ErrorRecord record;
  record.code = kRankKilledCode;
  record.exit_code = ExitCode::kPeerLost;
  record.rank = outcome.rank;
  record.what = "rank " + std::to_string(outcome.rank) + " (pid " + std::to_string(outcome.pid) +
                ") was killed by signal " + std::to_string(outcome.signal) + " (SIG" +
                signal_name(outcome.signal) + ")";
  if (outcome.signal == SIGKILL) {
    record.hint = "the kernel does this when memory runs out: see dmesg";
  }
  return record;
}

std::string describe_cause(const RankOutcome& outcome, const Cause& cause) {
  std::string text = cause.silent ? format_error_line(killed_record(outcome))
                                  : "scalemark: rank " + std::to_string(outcome.rank) + " (pid " +
                                        std::to_string(outcome.pid) + ") exited with " +
                                        std::to_string(cause.exit_code);
  std::vector<std::string> lines = outcome.last_lines;
  // The rank's own words on its end stand above, whole.
  if (outcome.error) {
    const std::string said = format_error_line(outcome.error->record);
    std::erase_if(lines, [&](const std::string& line) { return said.starts_with(line); });
  }
  if (lines.empty()) return text + "\n";
  text += cause.silent ? "\nscalemark: its last lines:\n" : "; its last lines:\n";
  for (const auto& line : lines) text += "    " + line + "\n";
  return text;
}

}  // namespace scalemark::launching
