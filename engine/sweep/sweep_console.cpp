#include "engine/sweep/sweep_console.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "core/base/durations.h"
#include "core/base/text.h"
#include "core/plan/estimates.h"
#include "engine/process/run_report.h"
#include "report/record/report_json.h"
#include "report/say/render/answer/answer.h"

namespace scalemark::sweeping {

SweepConsole::SweepConsole(const process::RunRequest& request, const planning::Plan& plan,
                           const planning::SweepSchedule& schedule)
    : quiet_(request.settings.general.quiet),
      verbose_(request.settings.general.verbose),
      terminal_{.is_terminal = request.terminal, .columns = request.output.columns},
      output_terminal_(request.output),
      plan_(plan),
      schedule_(schedule),
      output_(request.settings.general.output),
      command_line_(request.command_line) {
  const std::size_t can_run = planning::block(plan, 0).size();
  const std::size_t skipped = plan.points.size() - can_run;
  const std::size_t done = schedule.runs_done();
  say("sweep: " + counted(can_run, "point") +
      (skipped > 0 ? " (" + std::to_string(skipped) + " cannot run)" : "") + ", " +
      counted(plan.runs.size(), "run") + " planned, about " + rough_duration(plan.estimated_s) +
      (done > 0 ? "; " + std::to_string(done) + " are already done" : "") + "; output in " +
      output_);
}

void SweepConsole::say(const std::string& line) const {
  if (!quiet_) std::cerr << line << std::endl;
}

void SweepConsole::begin(const planning::Task& task) {
  const planning::PlannedPoint& point = plan_.points[task.run.point];
  if (task.kind == planning::Task::Kind::kTrial || !introduced_.insert(task.run.point).second) {
    return;
  }
  if (!verbose_) return;
  say("        " + point.group + ": memory estimate " +
      size_text(
          planning::estimated_memory_bytes(planning::settings_of(plan_, task), point.world_size)) +
      " per rank");
}

void SweepConsole::end(const reporting::PointRecord& row, const std::string& disturbed,
                       bool is_final, std::optional<double> remaining_s) {
  if (!disturbed.empty() && (verbose_ || !std::exchange(noted_disturbed_, true))) {
    say("        disturbed: " + disturbed);
  }
  const std::string place = "[" + std::to_string(schedule_.runs_done()) + "/" +
                            std::to_string(schedule_.runs_known()) + "] ";
  std::string line;
  if (row.status == reporting::PointStatus::kOk) {
    line += "  " + readable(row.samples_per_sec) + " samples/s";
    if (!disturbed.empty()) line += is_final ? ", disturbed" : ", disturbed: measured again";
  } else {
    line += "  " + std::string(name_of(row.status)) + (is_final ? "" : ", tried again") + ": " +
            row.reason;
  }
  if (remaining_s) line += ", " + age_text(*remaining_s) + " left";
  say(place + shortened(row.id, line.size() + place.size()) + line);
}

// Shortens a long id in its middle, so that a line of progress fits a line of the terminal.
std::string SweepConsole::shortened(const std::string& id, std::size_t beside) const {
  constexpr std::size_t kShortest = 12;
  const auto width = static_cast<std::size_t>(terminal_.columns - 1);
  if (!terminal_.is_terminal || id.size() + beside <= width) return id;
  const std::size_t kept = std::max(kShortest, width - std::min(width, beside)) - 2;
  if (id.size() <= kept + 2) return id;
  return id.substr(0, kept / 2) + ".." + id.substr(id.size() - (kept - kept / 2));
}

void SweepConsole::end_block() {
  if (schedule_.runs_done() < plan_.runs.size()) return;
  if (const auto ahead = schedule_.outlook()) say("        --until-ci: " + to_text(*ahead));
}

void SweepConsole::end_trial(const planning::Task& task, planning::Ending ending) {
  say("        batch search " + plan_.searches[task.search].id + ": " +
      std::to_string(task.batch_size) +
      (ending == planning::Ending::kOk ? " fits" : " does not fit"));
}

std::string SweepConsole::kept() const {
  std::string again = command_line_;
  for (const char* option : {" --overwrite", " --resume"}) {
    again = without_option(std::move(again), option, false);
  }
  // The option as typed may hold {date}, which would name another folder today.
  again = without_option(std::move(again), " --output", true);
  again += " --output " + shell_word(output_) + " --resume";
  return std::to_string(schedule_.runs_done()) + " of " + counted(schedule_.runs_known(), "run") +
         " are kept in " + output_ + "; go on: " + again;
}

void SweepConsole::show(const reporting::Report& report, const std::string& why) {
  process::show_answer(report, {output_}, output_terminal_, why);
}

}  // namespace scalemark::sweeping
