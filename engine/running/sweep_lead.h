// Rank 0's part of a sweep: what comes next, what the ballots mean, and the report. Takes part in
// each task itself, since rank 0 is a member of every point.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "core/planning/agenda.h"
#include "core/planning/plan.h"
#include "core/reporting/output/earlier.h"
#include "engine/distributed/task_board.h"
#include "engine/running/data_shelf.h"
#include "engine/running/point_run.h"
#include "engine/running/rank_life.h"
#include "engine/running/sweep_console.h"
#include "engine/running/sweep_report.h"
#include "engine/running/verdict.h"

namespace scalemark::running {

class SweepLead {
 public:
  // `begun`: when this process began, for --max-time. `report` is open.
  SweepLead(RankLife& life, Session& session, const planning::Plan& plan,
            distributed::TaskBoard& board, PointRun& point_run, SweepReport& report,
            std::chrono::steady_clock::time_point begun);

  // Until the sweep is over or asked to stop. Throws what ends it otherwise: a lost rank, a full
  // disk.
  ExitCode run();

 private:
  std::map<int, Ballot> collect(std::int64_t number, const std::vector<int>& members);
  void record(const planning::Task& task, const std::map<int, Ballot>& ballots,
              const std::string& started, double took_s);
  void settle_trial(const planning::Task& task, planning::Ending ending);
  ExitCode stop(const Stopped& stopped);
  ExitCode finish();
  std::optional<int> requested_signal();

  RankLife& life_;
  Session& session_;
  const planning::Plan& plan_;
  distributed::TaskBoard& board_;
  PointRun& point_run_;
  SweepReport& report_;
  std::chrono::steady_clock::time_point begun_;
  planning::Agenda agenda_;
  SweepConsole console_;
};

}  // namespace scalemark::running
