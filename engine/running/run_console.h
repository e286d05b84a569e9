// What a person sees of a run: progress on stderr while it lasts, results on stdout at its end.
// Rank 0 speaks; on the other ranks nothing happens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/reporting/progress.h"
#include "core/reporting/report.h"
#include "engine/running/engine_api.h"

namespace scalemark::running {

class RunConsole {
 public:
  RunConsole(const RunRequest& request, const std::string& sample_unit, double samples_per_step);

  void begin(const std::string& phase, std::optional<std::int64_t> steps);
  void step_done(std::int64_t steps_in_phase,
                 std::optional<double> loss);  // no lock, no system call

  void show(const reporting::Evaluation& evaluation);
  void show(const reporting::Report& report);  // the table
  void finish() { progress_.reset(); }         // before anything else is printed

 private:
  bool speaks_;
  bool quiet_;
  double samples_per_step_;
  std::optional<reporting::Progress> progress_;
};

}  // namespace scalemark::running
