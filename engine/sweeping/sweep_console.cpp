#include "engine/sweeping/sweep_console.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <span>

#include "core/base/byte_size.h"
#include "core/base/durations.h"
#include "core/planning/estimates.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/render/render.h"

namespace scalemark::sweeping {
namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<long>(seconds);
  if (whole >= 3600) {
    return formatted("%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return formatted("%ld:%02ld", whole / 60, whole % 60);
}

std::string counted(std::size_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace

SweepConsole::SweepConsole(const process::RunRequest& request, const planning::Plan& plan,
                           const planning::SweepSchedule& schedule)
    : quiet_(request.settings.general.quiet),
      plan_(plan),
      schedule_(schedule),
      output_(request.settings.general.output) {
  const std::size_t can_run = planning::block(plan, 0).size();
  const std::size_t skipped = plan.points.size() - can_run;
  const std::size_t done = schedule.runs_done();
  say("sweep: " + counted(can_run, "point") +
      (skipped > 0 ? " (" + std::to_string(skipped) + " cannot run)" : "") + ", " +
      counted(plan.runs.size(), "run") + " planned, about " + clock_time(plan.estimated_s) +
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
  say("        " + point.group + ": memory estimate " +
      readable_bytes(
          planning::estimated_memory_bytes(planning::settings_of(plan_, task), point.world_size)) +
      " per rank");
}

void SweepConsole::end(const reporting::PointRecord& row, const std::string& disturbed,
                       bool is_final, std::optional<double> remaining_s) {
  const double elapsed = seconds_since(begun_);
  const std::string place = formatted("[%zu/%zu] ", schedule_.runs_done(), schedule_.runs_known());
  std::string line = place + row.id + ": ";
  if (row.status == reporting::PointStatus::kOk) {
    line += formatted("%.1f samples/s, step %.3f ms, outside %.2f s", row.samples_per_sec,
                      1e3 * row.step_time_s.value_or(row.step_s.mean),
                      row.outside_window_s.value_or(0));
    if (!disturbed.empty()) line += ", " + disturbed + (is_final ? "" : ": measured again");
  } else {
    line +=
        std::string(name_of(row.status)) + (is_final ? "" : ", tried again") + ": " + row.reason;
  }
  line += ", " + clock_time(elapsed) + " elapsed";
  if (remaining_s) line += ", about " + clock_time(*remaining_s) + " to go";
  say(line);
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

void SweepConsole::show(const reporting::Report& report, const std::string& why) {
  if (!quiet_) std::cout << reporting::render_console(std::span(&report, 1)) << std::flush;
  say("report: " + output_ + "/report.json, report.md, report.html");
  if (!why.empty()) std::cerr << "scalemark: " << why << std::endl;
}

}  // namespace scalemark::sweeping
