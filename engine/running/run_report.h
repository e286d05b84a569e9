// The report of a run: opened by rank 0 before anything can fail slowly, closed however the run
// ends. On the other ranks it holds nothing and does nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reporting/writer.h"
#include "engine/running/engine_api.h"
#include "engine/running/point.h"
#include "engine/running/session.h"

namespace scalemark::running {

class RunReport {
 public:
  // Collective over the control group: every node's machine is in the report.
  RunReport(const TrainRequest& request, Session& session);

  reporting::ReportWriter* writer() { return writer_ ? &*writer_ : nullptr; }

  // To the journal, as it goes: a run that is killed shows how far it came.
  void enter(const std::string& phase);
  void add(const reporting::Evaluation& evaluation);
  void add_point(reporting::PointRecord identity, const PointOutcome& outcome);
  void close(reporting::ReportStatus status, ExitCode exit_code);

 private:
  std::string device_uuid_;  // of this rank; empty on a CPU
  std::optional<reporting::ReportWriter> writer_;
};

}  // namespace scalemark::running
