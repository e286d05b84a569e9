// The report of a sweep on rank 0: opened anew or continued, one row per finished run, summaries
// after each block. On the other ranks it holds nothing. report/judge/sweep/summary.h summarises
// the rows.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/enough.h"
#include "core/plan/plan.h"
#include "core/plan/sweep_schedule.h"
#include "engine/process/nccl_log.h"
#include "engine/process/run_report.h"
#include "engine/process/run_request.h"
#include "engine/sweep/dataset_cache.h"
#include "engine/sweep/sweep_messages.h"
#include "engine/sweep/training_member.h"
#include "report/record/report.h"

namespace scalemark::sweeping {

class SweepReport {
 public:
  // A rank's knowledge when it opens its report.
  struct Opening {
    const process::RunRequest& request;
    std::vector<monitoring::Host> hosts;  // rank 0: the hosts of all ranks
    reporting::Tool tool;                 // rank 0: includes the versions of its libraries
    std::function<process::RunReport&(process::RunReport::Opening)> open;
  };
  // Rank 0 reads what an earlier session left, and refuses (configuration(), 78) to continue it
  // with different settings.
  SweepReport(const Opening& opening, const planning::Plan& plan, const DatasetCache& datasets);

  // --- All functions below are for rank 0 only.
  std::vector<planning::EarlierRun> earlier_runs() const;
  void add_skipped_points();
  // `started` is the time at which the run began (reporting::utc_now()); `took_s` the seconds since
  // then.
  reporting::PointRecord row_of(const planning::Task& task, const TaskOutcome& outcome,
                                const PointVerdict& verdict, const std::string& started,
                                double took_s) const;
  // `busy` is the result of the check before a block, for the block's first row; else empty.
  void add(const reporting::PointRecord& row,
           std::vector<reporting::TelemetryRecord> telemetry = {}, const std::string& busy = {});
  std::vector<reporting::Finding> disturbances_of(
      const std::vector<reporting::TelemetryRecord>& telemetry) const {
    return run_report_->disturbances_of(telemetry);
  }
  // Keeps what the machines reach by themselves; later rows report their share of it.
  void add_fingerprint(std::vector<reporting::FingerprintRecord> records);
  // Sets the counters of this session so far.
  void set_health(const std::vector<reporting::HealthRecord>& rows) {
    run_report_->set_health(rows, session_number_);
  }
  void set_nccl(const std::vector<monitoring::NcclChoice>& of_ranks) {
    process::set_nccl(*run_report_, of_ranks);
  }
  // Whether there is a fingerprint of machines, and not only of ranks' devices.
  bool has_fingerprint() const;
  bool has_sustained() const;
  void add_replays(std::vector<reporting::ReplayRecord> replays);
  // Whether an earlier session has replays.
  bool has_replays() const;
  // Whether the machine was already busy before some block.
  bool was_busy() const;
  void note_retry(const planning::Task& task, const std::string& reason);
  // `stop_reasons`: why the repetitions of each group ended (SweepSchedule::stop_reasons()).
  void summarise(const std::map<std::string, std::string>& stop_reasons);
  // Returns how precisely each point is known, by the last summary.
  const planning::Precisions& precision() const { return precision_; }
  void end_session(const std::map<std::string, std::string>& stop_reasons);
  // Also writes report.md and report.html, before report.json reports success. With --fresh-process
  // report.json says that the sweep continues; the launcher writes the final state.
  reporting::RunEnd close(reporting::RunEnd end);
  void render_what_is_there() noexcept { run_report_->render_what_is_there(); }
  reporting::Report report() const { return run_report_->writer()->report(); }

 private:
  void open(const Opening& opening);
  std::optional<reporting::SessionRecord> new_session(const std::string& command_line,
                                                      const std::vector<std::string>& broke_with);
  void forget_varying_variables();
  std::vector<std::string> breaks(const Opening& opening);
  std::map<std::string, std::string> data_identities() const;
  reporting::PointRecord identity_of(const planning::PlannedPoint& point,
                                     const settings::Settings& settings,
                                     const planning::RunLength& length,
                                     const launching::World& world) const;

  const planning::Plan& plan_;
  const DatasetCache& datasets_;
  process::RunReport* run_report_ = nullptr;
  std::optional<reporting::Report> earlier_;
  int session_number_ = 0;
  std::vector<reporting::FingerprintRecord> fingerprint_;
  planning::Precisions precision_;
};

}  // namespace scalemark::sweeping
