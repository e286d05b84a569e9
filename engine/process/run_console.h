// The console of a run: it shows progress while the run lasts and results at its end. Rank 0 writes
// it; on the other ranks it does nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/live/progress.h"
#include "engine/process/run_request.h"
#include "report/record/report.h"

namespace scalemark::process {

// Prints the result on stdout, and on stderr why the command ends as it does, unless that is empty.
void show_answer(const RunRequest& request, const reporting::Report& report,
                 const std::string& why);

// Writes what happened on stderr, as text or as JSON (--log-format), unless --quiet asks for
// nothing.
void say(const RunRequest& request, const live::RunEvent& event);

// Writes "epoch 2: train loss 0.5935, held-out loss 0.3825, top-1 85.94 % of 64, 37.80 images/s"
std::string in_words(const reporting::Evaluation& evaluation, const std::string& sample_unit);

// Shows progress on stderr and results on stdout. `request` must outlive it.
class RunConsole {
 public:
  RunConsole(const RunRequest& request, const settings::Settings& settings,
             const std::string& sample_unit);

  // Says which run of `train` begins, where no bar shows it.
  void begin_run(const reporting::PointRecord& identity);
  void begin(const std::string& phase, std::optional<std::int64_t> steps, std::int64_t micro_steps);
  void step_done(std::int64_t steps_in_phase,
                 std::optional<double> loss);  // takes no lock and makes no system call

  void show(const reporting::Evaluation& evaluation);
  // Shows the result, and `why` the run ends as it does; empty: no reason is needed.
  void show(const reporting::Report& report, const std::string& why);
  void finish() { progress_.reset(); }  // call it before anything else is printed

 private:
  const RunRequest& request_;
  bool writes_;
  std::string sample_unit_;
  std::string run_;  // the report has the run under this id
  double samples_per_batch_;
  bool shows_loss_;  // made-up samples have a loss that means nothing
  std::optional<live::Progress> progress_;
};

}  // namespace scalemark::process
