#include "engine/sweep/sweep_console.h"

#include <algorithm>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/plan/estimates.h"
#include "engine/process/run_console.h"
#include "engine/process/versions.h"
#include "report/record/point_facts.h"
#include "report/record/point_identity.h"
#include "report/say/table/table.h"

namespace scalemark::sweeping {

SweepConsole::SweepConsole(const process::RunRequest& request, const planning::Plan& plan,
                           const planning::SweepSchedule& schedule)
    : request_(request),
      verbose_(request.settings.general.verbose),
      plan_(plan),
      schedule_(schedule),
      output_(request.settings.general.output) {
  for (const planning::PlannedPoint& point : plan.points) {
    if (!point.skipped) points_.push_back(reporting::point_identity(point));
  }
  const std::size_t can_run = planning::block(plan, 0).size();
  const std::size_t skipped = plan.points.size() - can_run;
  const std::size_t done = schedule.runs_done();
  const double share =
      static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(1, plan.runs.size()));
  const double left_s = plan.estimated_s * std::max(0.0, 1 - share);
  process::say(
      request_,
      {.event = "begin",
       .text = "sweep: " + counted(can_run, "point") +
               (skipped > 0 ? " (" + std::to_string(skipped) + " cannot run)" : "") + ", " +
               counted(plan.runs.size(), "run") + " planned, about " + rough_duration(left_s) +
               (done > 0 ? " for the rest; " + std::to_string(done) + " done already" : "") +
               "; torch " + process::loaded_torch_version() + "; output in " + output_,
       .output = output_,
       .seconds_left = left_s,
       .runs_done = static_cast<std::int64_t>(done),
       .runs_planned = static_cast<std::int64_t>(plan.runs.size())});
}

void SweepConsole::note(const std::string& text) const {
  process::say(request_, {.event = "note", .text = text});
}

void SweepConsole::begin(const planning::Task& task) {
  const planning::PlannedPoint& point = plan_.points[task.run.point];
  if (task.kind == planning::Task::Kind::kTrial || !introduced_.insert(task.run.point).second) {
    return;
  }
  if (!verbose_) return;
  note(point.group + ": memory estimate " +
       size_text(
           planning::estimated_memory_bytes(planning::settings_of(plan_, task), point.world_size)) +
       " per rank");
}

void SweepConsole::end(const reporting::PointRecord& row, const std::string& disturbed,
                       bool is_final, std::optional<double> remaining_s) {
  if (!disturbed.empty() && (verbose_ || !std::exchange(noted_disturbed_, true))) {
    note("disturbed: " + disturbed);
  }
  // A run that is measured again is not done, and is the next one again.
  const std::size_t number = schedule_.runs_done() + (is_final ? 0 : 1);
  const std::string place =
      "[" + std::to_string(number) + "/" + std::to_string(schedule_.runs_known()) + "] ";
  live::RunEvent event{.event = is_final ? "run" : "repeat",
                       .run = row.id,
                       .status = std::string(name_of(row.status)),
                       .unit = reporting::sample_unit(row.workload),
                       .disturbed = disturbed,
                       .seconds_left = remaining_s,
                       .runs_done = static_cast<std::int64_t>(schedule_.runs_done()),
                       .runs_planned = static_cast<std::int64_t>(schedule_.runs_known())};
  std::string line;
  if (row.status == reporting::PointStatus::kOk) {
    event.samples_per_sec = row.samples_per_sec;
    line += "  " + readable(row.samples_per_sec) + " " + event.unit + "/s";
    if (!disturbed.empty()) line += is_final ? ", disturbed" : ", disturbed: measured again";
  } else {
    line += "  " + event.status + (is_final ? "" : ", tried again") + ": " + row.reason;
  }
  if (remaining_s) line += ", " + live::left_text(*remaining_s);
  event.text = place + name_apart(row) + line;
  process::say(request_, event);
}

// An id is the same in each report, and says much that all runs of this sweep share.
std::string SweepConsole::name_apart(const reporting::PointRecord& row) const {
  const auto found = std::ranges::find(points_, row.group, &reporting::PointRecord::group);
  if (verbose_ || found == points_.end()) return row.id;
  std::vector<const reporting::PointRecord*> all;
  for (const reporting::PointRecord& point : points_) all.push_back(&point);
  return reporting::traits_apart(*found, all);
}

void SweepConsole::end_block() {
  if (schedule_.runs_done() < plan_.runs.size()) return;
  if (const auto ahead = schedule_.outlook()) note("--until-ci: " + to_text(*ahead));
}

void SweepConsole::end_trial(const planning::Task& task, planning::Ending ending) {
  note("batch search " + plan_.searches[task.search].id + ": " + std::to_string(task.batch_size) +
       (ending == planning::Ending::kOk ? " fits" : " does not fit"));
}

std::string SweepConsole::kept() const {
  std::string again = request_.command_line;
  for (const char* option : {"--overwrite", "--resume"}) {
    again = without_option(std::move(again), option, false);
  }
  // The option as typed may hold {date}, which would name another folder today.
  again = without_option(std::move(again), "--output", true);
  again += " --output " + shell_word(output_) + " --resume";
  const launching::World& world = request_.world;
  again.insert(0, reporting::launcher_prefix({.command = {},
                                              .command_line = request_.command_line,
                                              .launcher = world.launcher,
                                              .launcher_command = request_.launcher_command,
                                              .settings_json = {},
                                              .origins = {}},
                                             world.world_size,
                                             static_cast<std::size_t>(std::max(world.nodes, 1))));
  return std::to_string(schedule_.runs_done()) + " of " + counted(schedule_.runs_known(), "run") +
         " kept in " + output_ +
         (schedule_.block_is_cut() ? "; speed-ups compare runs of one session, so the repetition "
                                     "that was cut will have none"
                                   : "") +
         "; go on: " + again;
}

void SweepConsole::show(const reporting::Report& report, const std::string& why) {
  process::show_answer(request_, report, why);
}

}  // namespace scalemark::sweeping
