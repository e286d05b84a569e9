// What a rank does when it ends by a fault, from whatever thread: the error line, the launchers'
// error files, the report, the message error_store. The first fault speaks; later ones are its
// consequences.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "core/base/error.h"
#include "core/reporting/output/writer.h"
#include "engine/distributed/error_store.h"
#include "engine/process/phase_tracker.h"
#include "engine/process/run_request.h"

namespace scalemark::process {

class FailureReporter {
 public:
  FailureReporter(const RunRequest& request, const PhaseTracker& phase_tracker)
      : request_(request), phase_tracker_(phase_tracker) {}

  // What there is to tell, as it comes into being; both outlive this object or are taken back with
  // null.
  void use_board(distributed::ErrorStore* error_store);
  void use_report(reporting::ReportWriter* report);

  // Fills in rank, host, phase and step, and tells everybody. Never throws, may be called from any
  // thread; only the first call speaks. Returns the exit code of the fault that spoke.
  ExitCode report(ErrorRecord record,
                  reporting::ReportStatus status = reporting::ReportStatus::kFailed) noexcept;

 private:
  void fill_in(ErrorRecord& record) const;
  void tell(const ErrorRecord& record, reporting::ReportStatus status);

  const RunRequest& request_;
  const PhaseTracker& phase_tracker_;
  std::mutex mutex_;
  distributed::ErrorStore* error_store_ = nullptr;
  reporting::ReportWriter* report_ = nullptr;
  bool reported_ = false;
  ExitCode exit_code_ = ExitCode::kBug;
};

}  // namespace scalemark::process
