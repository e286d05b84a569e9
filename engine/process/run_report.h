// Keeps the report of a run. Rank 0 writes it; on the other ranks it does nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/process/failure_reporter.h"
#include "engine/process/run_request.h"
#include "report/judge/point/disturbances.h"
#include "report/judge/point/rank_steps.h"
#include "report/keep/writer.h"
#include "report/record/report.h"
#include "report/record/runs.h"

namespace scalemark::process {

// Rank 0 opens it before anything that takes long can fail, and closes it however the run ends.
class RunReport {
 public:
  // How the folder is opened, and what the report contains from the start.
  struct Opening {
    std::vector<monitoring::Host> hosts;
    // An earlier session's report, whose points are kept.
    std::optional<reporting::Report> continued;
    std::string settings_json;                        // empty: the request's settings
    std::optional<reporting::SessionRecord> session;  // the session that begins
    std::optional<reporting::OutputFolder> folder;    // rank 0's; absent: the request's folder
    // RankProcess::open_report() fills these in where they are missing.
    reporting::Tool tool;     // rank 0: includes the versions of its libraries
    std::string device_uuid;  // the GPU on which this rank computes; empty on a CPU
  };

  // `failures` are written into the report for as long as it lives. `on_more` is called on rank 0
  // with the report whenever there are more rows or findings.
  using OnMore = std::function<void(const reporting::Report&)>;
  RunReport(const RunRequest& request, Opening opening, FailureReporter& failures,
            OnMore on_more = {});

  reporting::ReportWriter* writer() { return writer_ ? &*writer_ : nullptr; }

  // Writes the phase to the journal at once, so that a killed run shows how far it came.
  void enter(const std::string& phase);
  void add(const reporting::Evaluation& evaluation, const std::string& sample_unit);
  // Notes something that was skipped, for people, on stderr too.
  void note(const std::string& text);
  // Rank 0 only: returns the record of a measured run.
  reporting::PointRecord assembled(reporting::PointRecord identity,
                                   const std::vector<reporting::RankMeasurement>& ranks,
                                   const reporting::StepSeries& series) const;
  // Rank 0 only: adds `point` with its findings and `more`. `repetitions` is the number of runs in
  // its group.
  void add_row(reporting::PointRecord point, int repetitions,
               std::vector<reporting::TelemetryRecord> telemetry,
               std::vector<reporting::Finding> more = {});
  // Rank 0 only: sets the counters of `session`, the current one, so far, and derives findings from
  // them.
  void set_health(const std::vector<reporting::HealthRecord>& rows, int session);
  // Returns what disturbed a measurement, on the hosts of the report.
  std::vector<reporting::Finding> disturbances_of(
      const std::vector<reporting::TelemetryRecord>& telemetry) const {
    return reporting::disturbances_of(telemetry, environment_.hosts);
  }
  enum class Renderings { kNone, kWritten };
  // Returns `end`, judged by --fail-on unless another session will follow (kPartial); on ranks
  // without a report `end` itself. The renderings are written before report.json reports success.
  reporting::RunEnd close(reporting::ReportStatus status, reporting::RunEnd end,
                          Renderings renderings = Renderings::kNone);
  // Writes report.md and report.html of the results so far, on rank 0: best effort, never throws.
  void render_what_is_there() noexcept;

 private:
  void publish();
  void write_events(const reporting::PointRecord& point) const;
  void write_efficiency() const;

  OnMore on_more_;
  std::string tensorboard_;  // the folder of --tensorboard; empty: none
  std::string device_uuid_;
  bool synthetic_in_loop_;              // copied from the request's settings
  reporting::FailOn fail_on_;           // likewise
  reporting::Environment environment_;  // a copy: the report grows and should not be copied per row
  std::vector<reporting::HealthRecord> earlier_health_;  // the rows of the continued report
  std::optional<reporting::ReportWriter> writer_;
  FailureReporter::Attachment written_failures_;
};

}  // namespace scalemark::process
