#include "engine/running/sweep_report.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/planning/plan_json.h"
#include "core/reporting/assemble.h"
#include "core/reporting/earlier.h"
#include "core/reporting/plan_summary.h"
#include "core/reporting/render/renderings.h"
#include "engine/distributed/network.h"
#include "engine/running/point_identity.h"
#include "engine/running/survey.h"
#include "engine/running/versions.h"

namespace scalemark::running {
namespace {

using reporting::PointStatus;

// What breaks with the earlier session, when --resume-anyway lets it.
std::vector<std::string> breaks(const planning::Plan& plan, const reporting::Report& earlier,
                                const std::vector<monitoring::Host>& hosts, bool with_cuda) {
  auto tool = reporting::this_tool();
  tool.libraries = library_versions(with_cuda);
  const auto found = reporting::differences(
      reporting::sameness_of(earlier),
      reporting::sameness_of(tool, reporting::settings_texts(planning::settings_json(plan)),
                             hosts));
  if (!found.empty() && !plan.sweep.resume_anyway) {
    throw configuration("--resume: " + joined(found, "; "),
                        "the settings, program and kind of machine of the earlier session",
                        "choose another --output, or --resume-anyway, which records the break");
  }
  return found;
}

}  // namespace

SweepReport::SweepReport(RankLife& life, Session& session, const planning::Plan& plan,
                         const DataShelf& shelf)
    : life_(life), plan_(plan), shelf_(shelf) {
  const auto hosts = survey_hosts(session);
  const bool leads = session.world().rank == 0;
  std::vector<std::string> broke_with;
  const auto& sweep = plan.sweep;
  if (leads && (sweep.resume || sweep.resume_anyway || sweep.fresh_process)) {
    earlier_ = reporting::read_earlier(life.request().settings.general.output);
    const bool with_cuda = session.device().torch_device().is_cuda();
    if (earlier_) broke_with = breaks(plan, *earlier_, hosts, with_cuda);
  }
  run_report_ = &life.open_report({.hosts = hosts,
                                   .continued = earlier_,
                                   .settings_json = leads ? planning::settings_json(plan) : ""});
  if (!leads) return;
  begin_session(broke_with);
  add_skipped_points();
}

void SweepReport::begin_session(const std::vector<std::string>& broke_with) {
  if (earlier_ && !earlier_->sessions.empty()) {
    session_number_ = earlier_->sessions.back().session + 1;
  }
  run_report_->writer()->amend([&](reporting::Report& report) {
    report.sessions.push_back({.session = session_number_,
                               .started = reporting::utc_now(),
                               .finished = {},
                               .hostname = distributed::local_host_name(),
                               .command_line = life_.request().command_line,
                               .broke_with = joined(broke_with, "; ")});
  });
}

void SweepReport::add_skipped_points() {
  for (const planning::PlannedPoint& point : plan_.points) {
    if (!point.skipped) continue;
    const std::string id = point.group + "/r0";
    const auto known = [&](const auto& row) { return row.id == id; };
    if (earlier_ && std::ranges::any_of(earlier_->points, known)) continue;
    launching::World world{.world_size = point.world_size};
    auto row = identity_of(point, point.settings, point.length, world);
    row.id = id;
    row.status = PointStatus::kSkipped;
    row.reason = *point.skipped;
    add(row);
  }
}

std::vector<planning::EarlierRun> SweepReport::earlier_runs() const {
  return earlier_ ? reporting::earlier_runs(*earlier_) : std::vector<planning::EarlierRun>{};
}

reporting::PointRecord SweepReport::identity_of(const planning::PlannedPoint& point,
                                                const settings::Settings& settings,
                                                const planning::RunLength& length,
                                                const launching::World& world) const {
  const auto& workload = workload_named(settings.what.workload);
  const catalogue::ModelShape shape =
      point.skipped
          ? catalogue::resolved_shape(workload, {.image_size = settings.what.image_size,
                                                 .sequence_length = settings.what.sequence_length})
          : shelf_.of(settings).shape;
  auto row = point_identity(settings, length, world, workload, shape);
  row.group = point.group;
  row.varying = {point.varying.begin(), point.varying.end()};
  row.members = point.members;
  if (!point.skipped) row.data_identity = shelf_.of(settings).identity;
  if (point.skipped) row.memory_estimate_bytes.reset();
  row.session = session_number_;
  row.started = reporting::utc_now();
  return row;
}

reporting::PointRecord SweepReport::row_of(const planning::Task& task, const PointRun& run,
                                           const Verdict& verdict, double took_s) const {
  auto row = identity_of(plan_.points[task.run.point], planning::settings_of(plan_, task),
                         planning::length_of(plan_, task), run.world());
  row.id = task.run.id;
  row.repetition = task.run.repetition;
  row.block = task.run.block;
  row.order = task.run.order;
  if (verdict.ending == planning::Ending::kOk) {
    row.outside_window_s = std::max(0.0, took_s - run.outcome().measuring_s);
    return run_report_->assembled(std::move(row), run.outcome());
  }
  row.status = verdict.ending == planning::Ending::kOom ? PointStatus::kOom : PointStatus::kFailed;
  row.reason = verdict.reason;
  row.oom = verdict.oom;
  return row;
}

void SweepReport::add(const reporting::PointRecord& row) {
  run_report_->add_row(row, plan_.stop.least_blocks);
}

void SweepReport::note_retry(const planning::Task& task, const std::string& reason) {
  run_report_->writer()->event("retry", task.run.id + ": " + reason);
}

void SweepReport::summarise(const std::map<std::string, std::string>& stop_reasons) {
  run_report_->writer()->amend([&](reporting::Report& report) {
    reporting::summarise_by_plan(report, plan_, stop_reasons);
  });
}

void SweepReport::end_session(const std::map<std::string, std::string>& stop_reasons) {
  run_report_->writer()->amend([&](reporting::Report& report) {
    reporting::summarise_by_plan(report, plan_, stop_reasons);
    report.sessions.back().finished = reporting::utc_now();
  });
}

void SweepReport::close(ExitCode exit_code) {
  auto& writer = *run_report_->writer();
  writer.close(reporting::ReportStatus::kComplete, static_cast<int>(exit_code),
               [&](const reporting::Report& report) {
                 reporting::write_renderings(writer.folder(), report);
               });
}

}  // namespace scalemark::running
