#include "engine/process/run_console.h"

#include <cmath>
#include <iostream>
#include <span>

#include "core/base/atomic_file.h"
#include "core/base/number_words.h"
#include "core/base/terminal.h"
#include "core/reporting/render/answer/answer.h"

namespace scalemark::process {
namespace {

// A network that diverges has losses of a dozen digits.
std::string loss_text(double loss) { return printed(std::abs(loss) < 1e4 ? "%.4f" : "%.3e", loss); }

}  // namespace

std::string in_words(const reporting::Evaluation& evaluation) {
  return "epoch " + std::to_string(evaluation.epoch) + ": train loss " +
         loss_text(evaluation.train_loss) + ", held-out loss " + loss_text(evaluation.loss) + ", " +
         evaluation.metric + " " + percent(evaluation.value, 2) + " of " +
         std::to_string(evaluation.samples) + ", " + readable(evaluation.samples_per_sec) +
         " samples/s";
}

RunConsole::RunConsole(const RunRequest& request, const std::string& sample_unit,
                       double samples_per_batch)
    : writes_(request.world.rank == 0),
      quiet_(request.settings.general.quiet),
      output_(request.output),
      samples_per_batch_(samples_per_batch) {
  if (!writes_ || quiet_ || request.settings.general.no_progress) return;
  auto options = reporting::progress_options_for(stderr);
  if (request.terminal) {  // the launcher's stderr is one; ours is its pipe
    options.terminal = true;
    if (output_.is_terminal) options.width = output_.columns - 1;
  }
  progress_.emplace(stderr, options, sample_unit);
}

void RunConsole::begin(const std::string& phase, std::optional<std::int64_t> steps,
                       std::int64_t micro_steps) {
  if (!progress_) return;
  progress_->begin(phase, steps, samples_per_batch_ * static_cast<double>(micro_steps));
}

void RunConsole::step_done(std::int64_t steps_in_phase, std::optional<double> loss) {
  if (!progress_) return;
  progress_->update(steps_in_phase);
  if (loss) progress_->update_loss(*loss);
}

void RunConsole::show(const reporting::Evaluation& evaluation) {
  if (!writes_ || quiet_) return;
  const std::string line = in_words(evaluation);
  if (progress_) {
    progress_->print(line);
  } else {
    std::cerr << line << std::endl;
  }
}

void RunConsole::show(const reporting::Report& report, const std::string& why) {
  if (writes_) show_answer(report, {}, output_, why);
}

void show_answer(const reporting::Report& report, const std::vector<std::string>& places,
                 const Terminal& output, const std::string& why) {
  write_to_stdout(folded(reporting::render_answer(std::span(&report, 1), places, output), output));
  if (!why.empty()) std::cerr << "scalemark: " << why << std::endl;
}

}  // namespace scalemark::process
