// Rank 0's part of a sweep: what comes next, what the results mean, and the report. Takes part in
// each task of several ranks itself, since rank 0 is a member of all of them; a task of one rank
// may be another's.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "core/planning/plan.h"
#include "core/planning/sweep_schedule.h"
#include "core/reporting/output/earlier.h"
#include "engine/distributed/work_queue.h"
#include "engine/process/rank_process.h"
#include "engine/sweeping/dataset_cache.h"
#include "engine/sweeping/fingerprint_member.h"
#include "engine/sweeping/point_verdict.h"
#include "engine/sweeping/quiet_check.h"
#include "engine/sweeping/sweep_console.h"
#include "engine/sweeping/sweep_member.h"
#include "engine/sweeping/sweep_report.h"

namespace scalemark::sweeping {

class SweepCoordinator {
 public:
  // Rank 0 as one of the ranks.
  struct Members {
    SweepMember& of_points;
    FingerprintMember& of_fingerprint;
  };
  // `begun`: when this process began, for --max-time. `report` is open.
  SweepCoordinator(process::RankProcess& rank_process, process::RankContext& context,
                   const planning::Plan& plan, distributed::WorkQueue& queue, Members members,
                   SweepReport& report, std::chrono::steady_clock::time_point begun);

  // Runs until the sweep is over or asked to stop. Throws what ends it otherwise: a lost rank, a
  // full disk.
  ExitCode run();

 private:
  bool is_member(const std::vector<int>& members) const;
  std::map<int, RankResult> collect(std::int64_t number, const std::vector<int>& members);
  TaskOutcome outcome_elsewhere(const distributed::WorkMessage& message, const planning::Task& task,
                                const std::map<int, RankResult>& results);
  void pass_on_signal();
  void take_fingerprint();
  void check_before_block(const planning::Task& task);
  void record(const planning::Task& task, const TaskOutcome& outcome,
              const std::map<int, RankResult>& results, const std::string& started, double took_s);
  bool settle(const planning::Task& task, const reporting::PointRecord& row,
              const std::string& disturbed);
  void summarise();
  void record_trial(const planning::Task& task, planning::Ending ending);
  ExitCode stop(const Stopped& stopped);
  ExitCode finish();
  std::optional<int> requested_signal();

  process::RankProcess& rank_process_;
  process::RankContext& context_;
  const planning::Plan& plan_;
  distributed::WorkQueue& queue_;
  SweepMember& member_;
  FingerprintMember& fingerprint_;
  SweepReport& report_;
  std::chrono::steady_clock::time_point begun_;
  planning::SweepSchedule schedule_;
  SweepConsole console_;
  QuietCheck quiet_check_;
  int checked_block_ = -1;
  std::string busy_;                          // of the block whose first run has no row yet
  std::vector<reporting::Attempt> attempts_;  // before the one in progress, of the same run
};

}  // namespace scalemark::sweeping
