#include "engine/running/run_console.h"

#include <cstdio>
#include <iostream>
#include <span>

#include "core/reporting/table.h"

namespace scalemark::running {

RunConsole::RunConsole(const RunRequest& request, const std::string& sample_unit,
                       double samples_per_step)
    : speaks_(request.world.rank == 0),
      quiet_(request.settings.general.quiet),
      samples_per_step_(samples_per_step) {
  if (!speaks_ || quiet_ || !request.settings.general.progress) return;
  auto options = reporting::progress_options_for(stderr);
  if (request.terminal) options.terminal = true;  // the launcher's stderr is one; ours is its pipe
  progress_.emplace(stderr, options, sample_unit);
}

void RunConsole::begin(const std::string& phase, std::optional<std::int64_t> steps) {
  if (progress_) progress_->begin(phase, steps, samples_per_step_);
}

void RunConsole::step_done(std::int64_t steps_in_phase, std::optional<double> loss) {
  if (!progress_) return;
  progress_->update(steps_in_phase);
  if (loss) progress_->update_loss(*loss);
}

void RunConsole::show(const reporting::Evaluation& evaluation) {
  if (!speaks_ || quiet_) return;
  char line[200];
  std::snprintf(
      line, sizeof line,
      "epoch %lld: train loss %.4f, held-out loss %.4f, %s %.2f %% of %lld, %.1f samples/s",
      static_cast<long long>(evaluation.epoch), evaluation.train_loss, evaluation.loss,
      evaluation.metric.c_str(), 100 * evaluation.value, static_cast<long long>(evaluation.samples),
      evaluation.samples_per_sec);
  if (progress_) {
    progress_->print(line);
  } else {
    std::cerr << line << std::endl;
  }
}

void RunConsole::show(const reporting::Report& report) {
  if (!speaks_ || quiet_) return;
  std::cout << reporting::render_table(std::span(&report, 1)) << std::flush;
}

}  // namespace scalemark::running
