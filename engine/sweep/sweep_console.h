// A person sees one line per run of a sweep on stderr while it runs, and the tables on stdout at
// its end. Rank 0 only.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "core/plan/plan.h"
#include "core/plan/sweep_schedule.h"
#include "engine/process/run_request.h"
#include "report/record/report.h"

namespace scalemark::sweeping {

class SweepConsole {
 public:
  // `schedule` knows how many runs are done and how many there are; it outlives the console.
  SweepConsole(const process::RunRequest& request, const planning::Plan& plan,
               const planning::SweepSchedule& schedule);

  // Before a run; the first one of a point says what memory it is expected to need.
  void begin(const planning::Task& task);
  // `disturbed`: by what, of a run that is ok. `remaining_s`: until the planned blocks are done,
  // when known.
  void end(const reporting::PointRecord& row, const std::string& disturbed, bool is_final,
           std::optional<double> remaining_s);
  // Tells what --until-ci still takes, after each block that it looks at.
  void end_block();
  void end_trial(const planning::Task& task, planning::Ending ending);
  // The tables, and why the sweep does not end with 0.
  void show(const reporting::Report& report, const std::string& why);
  // How many runs a sweep that stops now keeps, and the command that goes on.
  std::string kept() const;

 private:
  void say(const std::string& line) const;

  std::string shortened(const std::string& id, std::size_t beside) const;

  bool quiet_, verbose_;
  bool noted_disturbed_ = false;
  Terminal terminal_, output_terminal_;  // stderr, stdout
  const planning::Plan& plan_;
  const planning::SweepSchedule& schedule_;
  std::string output_, command_line_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::set<std::size_t> introduced_;  // points
};

}  // namespace scalemark::sweeping
