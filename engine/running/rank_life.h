// One rank's process from an open door to its exit code, whatever the command: signals, watchdog,
// session, report, and the last words of a rank that fails. What happens in between is the
// command's.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "engine/distributed/fault.h"
#include "engine/distributed/interrupt.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/watchdog.h"
#include "engine/distributed/wire.h"
#include "engine/running/engine_api.h"
#include "engine/running/last_words.h"
#include "engine/running/progression.h"
#include "engine/running/run_report.h"
#include "engine/running/session.h"

namespace scalemark::running {

// The members stand in the order in which they come to life; the ones that speak for the others
// come first, so that they go last.
class RankLife {
 public:
  explicit RankLife(const RunRequest& request);
  ~RankLife();
  RankLife(const RankLife&) = delete;
  RankLife& operator=(const RankLife&) = delete;

  // Runs `body`. An exception of it is spoken in here, while there is still a board and a report to
  // speak to; the result is the process's exit code.
  ExitCode live(const std::function<ExitCode()>& body) noexcept;

  // The stages of every body, in this order.
  Session& meet();  // the other ranks: phase "rendezvous"
  // Phase "preflight": `facts` must equal rank 0's on every rank; then all ranks are connected.
  void compare(const distributed::Facts& facts);
  RunReport& open_report(RunReport::Opening opening);

  const RunRequest& request() const { return request_; }
  Progression& progression() { return progression_; }
  distributed::Watchdog& watchdog() { return watchdog_; }

  // Of the last group; null before the first.
  const distributed::BackendProvider* backend() const {
    return session_ ? session_->payload() : nullptr;
  }

  // What an out-of-memory line adds: what would have fitted.
  void note_what_fits(std::optional<std::string> text) { fitting_ = std::move(text); }

  // Ends the process, from a side thread: the calling thread may be stuck.
  [[noreturn]] void give_up(const ErrorRecord& fault);

  distributed::StopAgreement::Options stop_options();
  // The end of a run that was asked to stop; `agreed`: every rank has taken part in it.
  ExitCode end_interrupted(int signal, bool agreed);

 private:
  distributed::FaultBoard* board() { return session_ ? &session_->board() : nullptr; }
  std::optional<ErrorRecord> posted_cause();
  std::optional<ErrorRecord> cause_of_hang();
  void tell_position();
  std::string who_is_missing();
  [[noreturn]] void speak_and_end(const ErrorRecord& fault);

  const RunRequest& request_;
  Progression progression_;
  LastWords words_;
  distributed::InterruptHandlers interrupts_;
  std::chrono::milliseconds leave_limit_ = distributed::FaultBoard::kLeaveLimit;
  std::optional<std::string> fitting_;
  std::optional<Session> session_;
  std::optional<RunReport> report_;
  distributed::Watchdog watchdog_;
  distributed::TerminateGuard terminate_;
};

// A whole life. When a group's end is still going on in a thread of its own, the process ends here,
// without destructors that would meet that thread.
ExitCode lived_by(const RunRequest& request,
                  const std::function<ExitCode(RankLife& life)>& body) noexcept;

// What every rank of any command must have in common with rank 0: settings that may not differ,
// and the versions of program and libraries.
distributed::Facts common_facts(const RunRequest& request);

}  // namespace scalemark::running
