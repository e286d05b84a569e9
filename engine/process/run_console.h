// A person sees progress of a run on stderr while it lasts, and results on stdout at its end. Rank
// 0 writes; the other ranks print nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/reporting/output/progress.h"
#include "core/reporting/record/report.h"
#include "engine/process/run_request.h"

namespace scalemark::process {

// The result on stdout; on stderr why the command ends as it does, unless that is empty. `places`:
// as render_answer()'s.
void show_answer(const reporting::Report& report, const std::vector<std::string>& places,
                 const Terminal& output, const std::string& why);

// "epoch 2: train loss 0.5935, held-out loss 0.3825, top-1 85.94 % of 64, 37.80 samples/s"
std::string in_words(const reporting::Evaluation& evaluation);

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
