// Rank 0's part of a sweep: it chooses the next task, interprets the results, and writes the
// report. It takes part in each task of several ranks, since rank 0 is a member of all of them; a
// task of one rank may be another's.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/plan/plan.h"
#include "core/plan/sweep_schedule.h"
#include "engine/process/machines.h"
#include "engine/process/run_request.h"
#include "engine/process/task_loop.h"
#include "engine/sweep/machine_rounds.h"
#include "engine/sweep/sweep_console.h"
#include "engine/sweep/sweep_messages.h"
#include "engine/sweep/sweep_report.h"
#include "engine/sweep/training_member.h"
#include "report/keep/earlier.h"

namespace scalemark::sweeping {

class SweepCoordinator : public process::TaskLeader {
 public:
  // `begun` is the time at which this process began, for --max-time. `report` is open. `member` is
  // rank 0 as one of the ranks.
  SweepCoordinator(const process::RunRequest& request, process::TaskLoop& loop,
                   const planning::Plan& plan, SweepMember& member, SweepReport& report,
                   distributed::Clock::time_point begun);

  void begin() override;
  std::optional<std::string> next() override;
  std::optional<distributed::Stop> run(const distributed::WorkMessage& message) override;
  ExitCode close() override;
  void show() override;
  std::string close_stopped() override;
  void show_stopped() override;

 private:
  bool is_member(const std::vector<int>& members) const;
  std::map<int, RankResult> collect(std::int64_t number, const std::vector<int>& members);
  void add_new(std::map<int, RankResult>& results,
               const distributed::WorkQueue::ResultTexts& texts);
  TaskOutcome outcome_elsewhere(const distributed::WorkMessage& message, const planning::Task& task,
                                const std::map<int, RankResult>& results);
  double elapsed_s() const;
  void publish(const planning::Task& task);
  void check_before_block(const planning::Task& task);
  void record(const planning::Task& task, const TaskOutcome& outcome,
              const std::map<int, RankResult>& results, const std::string& started, double took_s);
  bool record_outcome(const planning::Task& task, const reporting::PointRecord& row,
                      const std::string& disturbed);
  void summarise();
  void record_trial(const planning::Task& task, planning::Ending ending);

  const process::RunRequest& request_;
  process::TaskLoop& loop_;
  const planning::Plan& plan_;
  SweepMember& member_;
  SweepReport& report_;
  distributed::Clock::time_point begun_;
  planning::SweepSchedule schedule_;
  SweepConsole console_;
  QuietCheck quiet_check_;
  process::HealthCollector health_;
  std::optional<planning::Task> task_;  // the task that next() returned
  bool has_run_ = false;
  std::string why_;  // the reason for an exit code other than 0
  int checked_block_ = -1;
  // Names the programs that kept a machine busy before this block, until the block's first run has
  // its row.
  std::string busy_;
  std::vector<reporting::Attempt> attempts_;  // earlier attempts of the current run
};

}  // namespace scalemark::sweeping
