// The report of a run, and its console, which shows progress while the run lasts and results at its
// end. Rank 0 writes both; on the other ranks they do nothing.
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
#include "report/keep/progress.h"
#include "report/keep/writer.h"
#include "report/record/report.h"
#include "report/record/runs.h"

namespace scalemark::process {

// It is opened by rank 0 before anything can fail slowly, and closed however the run ends.
class RunReport {
 public:
  // How the folder is opened, and what stands in the report from the start.
  struct Opening {
    std::vector<monitoring::Host> hosts;
    std::optional<reporting::Report> continued;  // an earlier session wrote it: its points are kept
    std::string settings_json;                   // empty: those of the request
    std::optional<reporting::SessionRecord> session;  // this one begins
    std::optional<reporting::OutputFolder> folder;    // rank 0's; absent: that of the request
    // RankProcess::open_report() fills these in where they are not.
    reporting::Tool tool;     // rank 0: with the versions of its libraries
    std::string device_uuid;  // this rank computes on it; empty on a CPU
  };

  // `failures` are written into it for as long as it lives.
  // `on_more`, on rank 0: called with the report, whenever there are more rows or findings.
  using OnMore = std::function<void(const reporting::Report&)>;
  RunReport(const RunRequest& request, Opening opening, FailureReporter& failures,
            OnMore on_more = {});

  reporting::ReportWriter* writer() { return writer_ ? &*writer_ : nullptr; }

  // To the journal, as it goes: a run that is killed shows how far it came.
  void enter(const std::string& phase);
  void add(const reporting::Evaluation& evaluation);
  // For people, on stderr too: something was passed over.
  void note(const std::string& text);
  // Rank 0 only: the record of a run that was measured.
  reporting::PointRecord assembled(reporting::PointRecord identity,
                                   const std::vector<reporting::RankMeasurement>& ranks,
                                   const reporting::StepSeries& series) const;
  // Rank 0 only: `point` with its findings and `more`. `repetitions`: how many runs its group has.
  void add_row(reporting::PointRecord point, int repetitions,
               std::vector<reporting::TelemetryRecord> telemetry,
               std::vector<reporting::Finding> more = {});
  // Rank 0 only: the counters of `session`, which is this one, so far, and what they blame.
  void set_health(const std::vector<reporting::HealthRecord>& rows, int session);
  // Finds what disturbed a measurement, on the hosts of the report.
  std::vector<reporting::Finding> disturbances_of(
      const std::vector<reporting::TelemetryRecord>& telemetry) const {
    return reporting::disturbances_of(telemetry, environment_.hosts);
  }
  enum class Renderings { kNone, kWritten };
  // Returns `end`, judged by --fail-on unless another session goes on (kPartial); on ranks without
  // a report as it is. The renderings are written before report.json reports success.
  reporting::RunEnd close(reporting::ReportStatus status, reporting::RunEnd end,
                          Renderings renderings = Renderings::kNone);
  // report.md and report.html of what there is, on rank 0: best effort, never throws.
  void render_what_is_there() noexcept;

 private:
  void publish();
  void write_events(const reporting::PointRecord& point) const;
  void write_efficiency() const;

  OnMore on_more_;
  std::string tensorboard_;  // folder of --tensorboard; empty: none
  std::string device_uuid_;
  bool synthetic_in_loop_;              // the request's settings decide it
  reporting::FailOn fail_on_;           // likewise
  reporting::Environment environment_;  // a copy, since the report grows: not to be copied per row
  std::vector<reporting::HealthRecord> earlier_health_;  // the report that is continued had these
  std::optional<reporting::ReportWriter> writer_;
  FailureReporter::Attachment written_failures_;
};

// The result on stdout; on stderr why the command ends as it does, unless that is empty. `places`:
// as render_answer()'s.
void show_answer(const reporting::Report& report, const std::vector<std::string>& places,
                 const Terminal& output, const std::string& why);

// "epoch 2: train loss 0.5935, held-out loss 0.3825, top-1 85.94 % of 64, 37.80 samples/s"
std::string in_words(const reporting::Evaluation& evaluation);

// It shows progress on stderr, and results on stdout.
class RunConsole {
 public:
  // `samples_per_batch`: over all ranks.
  RunConsole(const RunRequest& request, const std::string& sample_unit, double samples_per_batch);

  void begin(const std::string& phase, std::optional<std::int64_t> steps, std::int64_t micro_steps);
  void step_done(std::int64_t steps_in_phase,
                 std::optional<double> loss);  // no lock, no system call

  void show(const reporting::Evaluation& evaluation);
  // The result, and `why` the run ends as it does; empty: nothing to say.
  void show(const reporting::Report& report, const std::string& why);
  void finish() { progress_.reset(); }  // before anything else is printed

 private:
  bool writes_;
  bool quiet_;
  Terminal output_;
  double samples_per_batch_;
  std::optional<reporting::Progress> progress_;
};

}  // namespace scalemark::process
