// One rank's process from its start to its exit code, for every command: signals, watchdog, peers,
// report, and how a failure is reported. What is measured in between is the command's.
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
#include "engine/process/live_status.h"
#include "engine/process/rank_context.h"
#include "engine/process/run_report.h"
#include "engine/process/run_request.h"
#include "engine/process/vitals.h"

namespace scalemark::process {

// The members are declared in the order in which they are made: those that report failures of the
// others come first, so that they are destroyed last.
class RankProcess {
 public:
  explicit RankProcess(const RunRequest& request);
  ~RankProcess();
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  // Runs `body`. Its exception is reported in here, while the error store and the report still
  // exist; the result is the process's exit code.
  ExitCode run(const std::function<ExitCode()>& body) noexcept;

  // The stages of every body, in this order.
  RankContext& rendezvous();  // the other ranks: phase "rendezvous"
  // Phase "preflight": `facts` must equal rank 0's on every rank; then all ranks are connected.
  void compare(const distributed::Facts& facts);
  RunReport& open_report(RunReport::Opening opening);
  // How the run stands; after compare().
  LiveStatus& live() { return *live_; }
  // This program with the versions of its libraries; after rendezvous().
  reporting::Tool tool();

  const RunRequest& request() const { return request_; }
  PhaseTracker& phase_tracker() { return phase_tracker_; }
  distributed::Watchdog& watchdog() { return watchdog_; }

  // See RankContext::abort_provider().
  const distributed::BackendProvider* abort_provider() const {
    return context_ ? context_->abort_provider() : nullptr;
  }
  // Whether all ranks end together: no failure, and no stop that some rank has not agreed to.
  bool ends_together() const { return ends_together_; }

  // An out-of-memory line adds this: what would have fitted.
  void note_what_fits(std::optional<std::string> text) { fitting_ = std::move(text); }

  // Ends the process, from a side thread: the calling thread may be stuck.
  [[noreturn]] void give_up(const ErrorRecord& fault);

  // From now on a rank that was asked to stop, and whose main thread does not come to that, writes
  // what there is and ends: for commands whose loops have no StopAgreement of their own.
  void end_when_overdue() { ends_overdue_ = true; }
  distributed::StopAgreement::Options stop_options();
  // The end of a run that was asked to stop; `agreed`: every rank has taken part in it.
  ExitCode end_interrupted(int signal, bool agreed, const std::string& kept = {});

 private:
  distributed::ErrorStore* error_store() { return context_ ? &context_->error_store() : nullptr; }
  // How a run ends that was asked to stop: interrupted, unless a peer had failed, for which the
  // launcher has then asked.
  struct Ending {
    ErrorRecord record;
    reporting::ReportStatus status = reporting::ReportStatus::kInterrupted;
  };
  Ending ending_of(int signal);
  // The end of a rank that was asked to stop while its main thread is stuck, from a side thread.
  [[noreturn]] void end_overdue(int signal);
  std::optional<ErrorRecord> posted_cause();
  std::optional<ErrorRecord> cause_of_hang();
  void post_position();
  std::string who_is_missing();
  [[noreturn]] void report_and_end(const ErrorRecord& fault);
  // For ends without destructors: status.json says how.
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
  std::optional<LiveStatus> live_;
  std::optional<RunReport> report_;
  distributed::Watchdog watchdog_;
  distributed::TerminateGuard terminate_;
};

// From start to end. While a thread is still ending a process group, the process ends here,
// without destructors that would meet that thread.
ExitCode run_rank_process(const RunRequest& request,
                          const std::function<ExitCode(RankProcess& rank_process)>& body) noexcept;

// Every rank of any command must have this in common with rank 0: settings that may not differ, and
// the versions of program and libraries.
distributed::Facts common_facts(const RunRequest& request);

}  // namespace scalemark::process
