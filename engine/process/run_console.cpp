#include "engine/process/run_console.h"

#include <cmath>
#include <iostream>
#include <span>

#include "core/base/atomic_file.h"
#include "core/base/characters.h"
#include "core/base/file_kind.h"
#include "core/base/number_words.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "engine/process/versions.h"
#include "report/say/render/answer/answer.h"
#include "report/say/table/table.h"

namespace scalemark::process {
namespace {

bool says_json(const RunRequest& request) {
  return request.settings.general.log_format == settings::LogFormat::kJson;
}

// A network that diverges has losses with a dozen digits.
std::string loss_text(double loss) { return printed(std::abs(loss) < 1e4 ? "%.4f" : "%.3e", loss); }

}  // namespace

std::string in_words(const reporting::Evaluation& evaluation, const std::string& sample_unit) {
  return "epoch " + std::to_string(evaluation.epoch) + ": train loss " +
         loss_text(evaluation.train_loss) + ", held-out loss " + loss_text(evaluation.loss) + ", " +
         evaluation.metric + " " + percent(evaluation.value, 2) + " of " +
         std::to_string(evaluation.samples) + ", " + readable(evaluation.samples_per_sec) + " " +
         sample_unit + "/s";
}

void say(const RunRequest& request, const live::RunEvent& event) {
  if (request.settings.general.quiet) return;
  const char* indent = event.event == "note" ? "        " : "";
  std::cerr << (says_json(request) ? to_json(event) : indent + shown_text(event.text)) << std::endl;
}

namespace {

// The text for people is the answer.
live::RunEvent end_of(const reporting::PointRecord& run, const std::string& sample_unit) {
  live::RunEvent event{.event = "end",
                       .text = run.reason,
                       .run = run.id,
                       .status = std::string(name_of(run.status)),
                       .unit = sample_unit};
  if (run.status != reporting::PointStatus::kOk) return event;
  event.samples_per_sec = run.samples_per_sec;
  event.text = readable(run.samples_per_sec) + " " + sample_unit + "/s";
  return event;
}

}  // namespace

RunConsole::RunConsole(const RunRequest& request, const settings::Settings& settings,
                       const std::string& sample_unit)
    : request_(request),
      writes_(request.world.rank == 0),
      sample_unit_(sample_unit),
      samples_per_batch_(settings::samples_per_batch(settings)),
      shows_loss_(settings.task.data != "synthetic") {
  const settings::GeneralSettings& general = request.settings.general;
  if (!writes_ || general.quiet || general.no_progress || says_json(request)) return;
  auto options = live::progress_options_for(stderr);
  if (request.terminal) {  // the launcher's stderr is a terminal; this process's is a pipe to it
    if (!options) options.emplace();
    if (request.output.is_terminal) options->width = request.output.columns - 1;
  }
  if (options) progress_.emplace(stderr, *options, sample_unit);
}

void RunConsole::begin_run(const reporting::PointRecord& identity) {
  run_ = identity.id;
  if (!writes_ || progress_ || request_.settings.general.no_progress) return;
  const std::string& output = request_.settings.general.output;
  say(request_, {.event = "begin",
                 .text = "train: " + reporting::traits_in_common({&identity}) + ", " +
                         counted(identity.world_size, "rank") + "; torch " +
                         loaded_torch_version() + "; output in " + output,
                 .run = identity.id,
                 .unit = sample_unit_,
                 .output = output});
}

void RunConsole::begin(const std::string& phase, std::optional<std::int64_t> steps,
                       std::int64_t micro_steps) {
  if (!progress_) return;
  progress_->begin(phase, steps, samples_per_batch_ * static_cast<double>(micro_steps));
}

void RunConsole::step_done(std::int64_t steps_in_phase, std::optional<double> loss) {
  if (!progress_) return;
  progress_->update(steps_in_phase);
  if (loss && shows_loss_) progress_->update_loss(*loss);
}

void RunConsole::show(const reporting::Evaluation& evaluation) {
  if (!writes_) return;
  const std::string line = in_words(evaluation, sample_unit_);
  if (progress_) {
    progress_->print(line);
  } else {
    say(request_, {.event = "epoch",
                   .text = line,
                   .run = run_,
                   .unit = sample_unit_,
                   .samples_per_sec = evaluation.samples_per_sec});
  }
}

void RunConsole::show(const reporting::Report& report, const std::string& why) {
  if (!writes_) return;
  if (says_json(request_) && !request_.settings.general.no_progress && !report.points.empty())
    say(request_, end_of(report.points.back(), sample_unit_));
  show_answer(request_, report, why);
}

void show_answer(const RunRequest& request, const reporting::Report& report,
                 const std::string& why) {
  const settings::GeneralSettings& general = request.settings.general;
  const reporting::Besides besides{
      .published = request.published,
      .events = general.tensorboard,
      .has_tensorboard = !programs_named("tensorboard").empty(),
      .end_is_told = report.status == reporting::ReportStatus::kInterrupted};
  write_to_stdout(
      folded(reporting::render_answer(std::span(&report, 1), {general.output}, request.output,
                                      reporting::Withheld::kLeftOut, besides),
             request.output));
  if (!why.empty()) std::cerr << "scalemark: " << why << std::endl;
}

}  // namespace scalemark::process
