// Turns whatever ended a rank into one ErrorRecord with the right exit code, and reports it, from
// any thread: to the peers through the error store, on stderr, in the launchers' error files, in
// the run's report. Only the first failure is reported; later ones are its consequences.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/live/status.h"
#include "engine/distributed/error_store.h"
#include "engine/process/run_request.h"
#include "engine/process/vitals.h"
#include "report/keep/writer.h"

namespace scalemark::process {

class FailureReporter {
 public:
  FailureReporter(const RunRequest& request, const PhaseTracker& phase_tracker)
      : request_(request), phase_tracker_(phase_tracker) {}

  // A target of reports stays attached while this handle lives. Its owner holds the handle as the
  // last member, so that no report reaches a target that is being destroyed.
  using Attachment = std::shared_ptr<void>;

  [[nodiscard]] Attachment attach(distributed::ErrorStore& error_store) {
    return attach(error_store_, error_store);
  }
  [[nodiscard]] Attachment attach(reporting::ReportWriter& report) {
    return attach(report_, report);
  }

  // A lost rank cannot name its host.
  void know_ranks(std::vector<live::RankStatus> ranks) { ranks_ = std::move(ranks); }

  // Adds what is known of the other ranks to a failure before it is reported, in bounded time.
  void explain_by(std::function<void(ErrorRecord&)> explain) {
    const std::lock_guard lock(mutex_);
    explain_ = std::move(explain);
  }

  // kTold: the peers are informed. kKnowAlready: all ranks have agreed to end, so they need not be.
  enum class Peers { kTold, kKnowAlready };

  // Whether a failure is being reported, or was.
  bool has_begun() const { return reported_; }

  // Fills in rank, host, phase and step of `record` and reports it everywhere. Never throws; only
  // the first call reports. Returns the exit code of the failure that was reported.
  ExitCode report(ErrorRecord record,
                  reporting::ReportStatus status = reporting::ReportStatus::kFailed,
                  Peers peers = Peers::kTold) noexcept;

 private:
  template <class Target>
  Attachment attach(Target*& place, Target& target) {
    Attachment handle(&target, [this, &place](void*) {
      const std::lock_guard lock(mutex_);
      place = nullptr;
    });
    const std::lock_guard lock(mutex_);
    place = &target;
    return handle;
  }
  void fill_in(ErrorRecord& record) const;
  void write_everywhere(const ErrorRecord& record, reporting::ReportStatus status, Peers peers);

  const RunRequest& request_;
  const PhaseTracker& phase_tracker_;
  std::mutex mutex_;
  distributed::ErrorStore* error_store_ = nullptr;
  reporting::ReportWriter* report_ = nullptr;
  std::function<void(ErrorRecord&)> explain_;
  std::vector<live::RankStatus> ranks_;  // rank 0 knows them, once all have met
  std::atomic<bool> reported_{false};
  ExitCode exit_code_ = ExitCode::kBug;
};

// Like distributed::record_of(), but a failed collective becomes the cause that a peer posted on
// `error_store`, if one did. `error_store` may be null: before the ranks have met, or where nobody
// posts.
ErrorRecord record_of(const std::exception_ptr& exception, distributed::ErrorStore* error_store);

}  // namespace scalemark::process
