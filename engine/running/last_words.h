// What a rank does when it ends by a fault, from whatever thread: the error line, the launchers'
// error files, the report, the notice board. The first fault speaks; later ones are its
// consequences.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "core/base/error.h"
#include "core/reporting/output/writer.h"
#include "engine/distributed/fault.h"
#include "engine/running/engine_api.h"
#include "engine/running/progression.h"

namespace scalemark::running {

class LastWords {
 public:
  LastWords(const RunRequest& request, const Progression& progression)
      : request_(request), progression_(progression) {}

  // What there is to tell, as it comes into being; both outlive this object or are taken back with
  // null.
  void use_board(distributed::FaultBoard* board);
  void use_report(reporting::ReportWriter* report);

  // Fills in rank, host, phase and step, and tells everybody. Never throws, may be called from any
  // thread; only the first call speaks. Returns the exit code of the fault that spoke.
  ExitCode speak(ErrorRecord record,
                 reporting::ReportStatus status = reporting::ReportStatus::kFailed) noexcept;

 private:
  void fill_in(ErrorRecord& record) const;
  void tell(const ErrorRecord& record, reporting::ReportStatus status);

  const RunRequest& request_;
  const Progression& progression_;
  std::mutex mutex_;
  distributed::FaultBoard* board_ = nullptr;
  reporting::ReportWriter* report_ = nullptr;
  bool spoken_ = false;
  ExitCode exit_code_ = ExitCode::kBug;
};

}  // namespace scalemark::running
