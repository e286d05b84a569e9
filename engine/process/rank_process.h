// One rank's process from start to exit code: signals, watchdog, peers, report, failures. The
// command adds what is measured in between.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "engine/distributed/error_store.h"
#include "engine/distributed/rendezvous.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/distributed/watchdog.h"
#include "engine/process/failure_reporter.h"
#include "engine/process/hang_watch.h"
#include "engine/process/live_status.h"
#include "engine/process/rank_context.h"
#include "engine/process/run_report.h"
#include "engine/process/run_request.h"
#include "engine/process/vitals.h"

namespace scalemark::process {

// The members are declared in the order of their construction: members that report failures of
// others come first, so that they are destroyed last.
class RankProcess {
 public:
  explicit RankProcess(const RunRequest& request);
  ~RankProcess();
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  // Runs `body` and returns the process's exit code. An exception of the body is reported here,
  // while the error store and the report still exist.
  ExitCode run(const std::function<ExitCode()>& body) noexcept;

  // The stages of every body, in this order.
  RankContext& rendezvous();  // meets the other ranks: phase "rendezvous"
  // Phase "preflight": `facts` must equal rank 0's on every rank; then all ranks are connected.
  void compare(const distributed::Facts& facts);
  RunReport& open_report(RunReport::Opening opening);
  // The run's live status; valid after compare().
  LiveStatus& live() { return *live_; }
  // Returns the hooks of a heartbeat that gives up on a lost rank; valid after compare().
  distributed::Heartbeat::Hooks heartbeat_hooks();
  // From compare() to end_heartbeat(), or until this rank has found out why it fails, it tells the
  // others that it lives. A process that dies closes its connections; a machine that vanishes does
  // not, and its peers in a collective wait on: over several nodes they give up on it.
  void begin_heartbeat();
  void end_heartbeat() { heartbeat_.reset(); }
  // Returns this program with the versions of its libraries; after rendezvous().
  reporting::Tool tool();

  const RunRequest& request() const { return request_; }
  PhaseTracker& phase_tracker() { return phase_tracker_; }
  distributed::Watchdog& watchdog() { return watchdog_; }

  // See RankContext::abort_provider().
  const distributed::BackendProvider* abort_provider() const {
    return context_ ? context_->abort_provider() : nullptr;
  }
  // Whether all ranks end together: without a failure, and without a stop to which some rank has
  // not agreed.
  bool ends_together() const { return ends_together_; }

  // Sets what an out-of-memory error line adds: a size that would have fitted.
  void note_what_fits(std::optional<std::string> text) { fitting_ = std::move(text); }

  // Ends the process from a side thread, since the main thread may be stuck.
  [[noreturn]] void give_up(const ErrorRecord& fault);

  // From now on a rank that was asked to stop, but whose main thread does not stop in time, writes
  // what there is and ends. For commands whose loops have no StopAgreement of their own.
  void end_when_overdue() { ends_overdue_ = true; }
  distributed::StopAgreement::Options stop_options();
  // Ends a run that was asked to stop; `agreed`: every rank has taken part in it.
  ExitCode end_interrupted(int signal, bool agreed, const std::string& kept = {});

 private:
  distributed::ErrorStore* error_store() { return context_ ? &context_->error_store() : nullptr; }
  // How a run ends that was asked to stop: as interrupted, unless a peer had failed and the
  // launcher has asked because of that.
  struct Ending {
    ErrorRecord record;
    reporting::ReportStatus status = reporting::ReportStatus::kInterrupted;
  };
  Ending ending_of(int signal);
  // Ends, from a side thread, a rank that was asked to stop while its main thread is stuck.
  [[noreturn]] void end_overdue(int signal);
  std::optional<ErrorRecord> posted_cause();
  std::optional<ErrorRecord> cause_of_hang();
  [[noreturn]] void report_and_end(const ErrorRecord& fault);
  // Writes the end into status.json where no destructor will.
  void publish_end(reporting::ReportStatus status) noexcept;

  const RunRequest& request_;
  PhaseTracker phase_tracker_;
  FailureReporter failure_reporter_;
  distributed::InterruptHandlers interrupts_;
  const OnThreadShortage on_thread_shortage_;
  const OnThreadShortage* shortage_before_ = nullptr;
  std::chrono::milliseconds leave_limit_ = distributed::ErrorStore::kLeaveLimit;
  std::optional<std::string> fitting_;
  bool ends_together_ = true;
  std::atomic<bool> ends_overdue_{false};
  std::optional<RankContext> context_;
  HangWatch hang_watch_;
  std::optional<LiveStatus> live_;
  std::optional<RunReport> report_;
  std::optional<distributed::Heartbeat> heartbeat_;
  distributed::Watchdog watchdog_;
  distributed::TerminateGuard terminate_;
};

// Runs the process from start to end. While a thread is still ending a process group, the process
// ends here, without destructors, which would collide with that thread.
ExitCode run_rank_process(const RunRequest& request,
                          const std::function<ExitCode(RankProcess& rank_process)>& body) noexcept;

}  // namespace scalemark::process
