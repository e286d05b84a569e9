// Shows a person one line per run of a sweep on stderr while it runs, and the tables on stdout at
// its end. Rank 0 only.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/live/progress.h"
#include "core/plan/plan.h"
#include "core/plan/sweep_schedule.h"
#include "engine/process/run_request.h"
#include "report/record/report.h"

namespace scalemark::sweeping {

class SweepConsole {
 public:
  // `schedule` counts the finished and the known runs. The arguments must outlive the console.
  SweepConsole(const process::RunRequest& request, const planning::Plan& plan,
               const planning::SweepSchedule& schedule);

  // Call it before a run; for a point's first run it shows the memory that the point is expected to
  // need.
  void begin(const planning::Task& task);
  // `disturbed` is what disturbed a run that succeeded. `remaining_s`: until the planned blocks are
  // done, when known.
  void end(const reporting::PointRecord& row, const std::string& disturbed, bool is_final,
           std::optional<double> remaining_s);
  // Shows how much --until-ci still needs, after each block that it judges.
  void end_block();
  void end_trial(const planning::Task& task, planning::Ending ending);
  // Shows the tables, and `why` the sweep's exit code is not 0.
  void show(const reporting::Report& report, const std::string& why);
  // Returns how many runs a sweep that stops now keeps, and the command that continues it.
  std::string kept() const;

 private:
  void note(const std::string& text) const;
  std::string name_apart(const reporting::PointRecord& row) const;

  const process::RunRequest& request_;
  bool verbose_;
  bool noted_disturbed_ = false;
  const planning::Plan& plan_;
  const planning::SweepSchedule& schedule_;
  std::string output_;
  std::vector<reporting::PointRecord> points_;  // all that can run, as known beforehand
  std::set<std::size_t> introduced_;            // points
};

}  // namespace scalemark::sweeping
