#include "engine/sweep/sweep_report.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/host_name.h"
#include "core/base/text.h"
#include "core/plan/plan_json.h"
#include "report/judge/point/assemble.h"
#include "report/judge/point/fingerprint.h"
#include "report/judge/sweep/summary.h"
#include "report/keep/earlier.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_identity.h"

namespace scalemark::sweeping {
namespace {

using reporting::PointStatus;

reporting::ExistingFolder existing_folder(const process::RunRequest& request,
                                          const planning::Plan& plan) {
  using enum reporting::ExistingFolder;
  const auto& sweep = plan.sweep;
  if (sweep.fresh_process) return kContinueBlock;
  if (sweep.resume || sweep.resume_anyway) return kContinue;
  return request.settings.general.overwrite ? kOverwrite : kRefuse;
}

// --tune plans more runs than it means to make.
std::optional<int> planned_runs(const planning::Plan& plan) {
  return plan.sweep.tune.empty() ? std::optional(static_cast<int>(plan.runs.size())) : std::nullopt;
}

}  // namespace

SweepReport::SweepReport(const Opening& opening, const planning::Plan& plan,
                         const DatasetCache& datasets)
    : plan_(plan), datasets_(datasets) {
  if (opening.request.world.rank == 0) {
    open(opening);
  } else {
    run_report_ = &opening.open({.hosts = opening.hosts});
  }
}

void SweepReport::open(const Opening& opening) {
  // The folder is locked before it is read, since another session may still be writing there.
  const auto existing = existing_folder(opening.request, plan_);
  reporting::OutputFolder folder(opening.request.settings.general.output, existing);
  std::vector<std::string> broke_with;
  if (existing == reporting::ExistingFolder::kContinue ||
      existing == reporting::ExistingFolder::kContinueBlock) {
    earlier_ = reporting::read_earlier(folder.path());
    if (earlier_) broke_with = breaks(opening);
    if (earlier_) fingerprint_ = earlier_->fingerprint;
  }
  run_report_ = &opening.open({.hosts = opening.hosts,
                               .continued = earlier_,
                               .settings_json = planning::settings_json(plan_),
                               .session = new_session(opening.request.command_line, broke_with),
                               .folder = std::move(folder),
                               .tool = opening.tool});
  forget_varying_variables();
}

// Removes variables that differ between points, since the report has one environment for all its
// ranks.
void SweepReport::forget_varying_variables() {
  if (!plan_.launch) return;
  run_report_->writer()->amend([&](reporting::Report& report) {
    for (const auto& [name, value] : plan_.launch->environment) {
      report.environment.variables.erase(name);
    }
  });
}

// Returns the differences from the earlier session, which --resume-anyway allows.
std::vector<std::string> SweepReport::breaks(const Opening& opening) {
  const auto now = reporting::sameness_of(
      opening.tool, reporting::settings_texts(planning::settings_json(plan_)), opening.hosts);
  auto before = reporting::sameness_of(*earlier_);
  const auto identities = data_identities();
  std::map<std::string, std::string> data;
  for (const auto& point : plan_.points) data[point.group] = point.settings.task.data;
  reporting::respell_data(*earlier_, identities, data, before, now);
  auto found = reporting::differences(before, now);
  std::ranges::move(reporting::data_differences(*earlier_, identities), std::back_inserter(found));
  if (!found.empty() && !plan_.sweep.resume_anyway) {
    throw configuration("--resume: " + joined(found, "; "),
                        "the settings, data, program and kind of machine of the earlier session",
                        "choose another --output, or --resume-anyway, which records the break");
  }
  return found;
}

std::map<std::string, std::string> SweepReport::data_identities() const {
  std::map<std::string, std::string> identities;
  for (const planning::PlannedPoint& point : plan_.points) {
    if (!point.skipped) identities[point.group] = datasets_.of(point.settings).identity;
  }
  return identities;
}

// Returns nothing where the last session continues, in which other ranks ran this block's points
// with other environments.
std::optional<reporting::SessionRecord> SweepReport::new_session(
    const std::string& command_line, const std::vector<std::string>& broke_with) {
  if (plan_.launch && plan_.launch->same_session && earlier_ && !earlier_->sessions.empty()) {
    session_number_ = earlier_->sessions.back().session;
    return std::nullopt;
  }
  if (earlier_ && !earlier_->sessions.empty()) {
    session_number_ = earlier_->sessions.back().session + 1;
  }
  return reporting::SessionRecord{.session = session_number_,
                                  .started = reporting::utc_now(),
                                  .finished = {},
                                  .hostname = host_name(),
                                  .command_line = command_line,
                                  .planned_runs = planned_runs(plan_),
                                  .broke_with = joined(broke_with, "; ")};
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
  const auto& workload = running::workload_named(settings.task.workload);
  const catalogue::ModelShape shape =
      point.skipped
          ? catalogue::resolved_shape(workload, {.image_size = settings.task.image_size,
                                                 .sequence_length = settings.task.sequence_length})
          : datasets_.of(settings).shape;
  auto row =
      reporting::point_identity(settings, length, {point.world_size, world.nodes}, workload, shape);
  row.group = point.group;
  row.varying = {point.varying.begin(), point.varying.end()};
  row.members = point.members;
  if (!point.skipped) {
    const running::WorkloadData& data = datasets_.of(settings);
    row.data_identity = data.identity;
    row.replaced_bytes = data.replaced_bytes;
    row.files_left_out = data.left_out;
  }
  if (point.skipped) row.memory_estimate_bytes.reset();
  row.session = session_number_;
  row.started = reporting::utc_now();
  return row;
}

reporting::PointRecord SweepReport::row_of(const planning::Task& task, const TaskOutcome& outcome,
                                           const PointVerdict& verdict, const std::string& started,
                                           double took_s) const {
  auto row = identity_of(plan_.points[task.run.point], planning::settings_of(plan_, task),
                         planning::length_of(plan_, task), outcome.world);
  row.id = task.run.id;
  row.started = started;
  row.members = planning::members_of(plan_, task.run);
  row.repetition = task.run.repetition;
  row.block = task.run.block;
  row.order = task.run.order;
  if (verdict.ending == planning::Ending::kOk) {
    row.outside_window_s = std::max(0.0, took_s - outcome.measured.measuring_s);
    row.raw_steps = outcome.measured.raw_steps_file;
    row = run_report_->assembled(std::move(row), outcome.measured.ranks, outcome.measured.series);
    row.mfu_of_measured_gemm = reporting::mfu_of_measured_gemm(row, fingerprint_);
    return row;
  }
  row.status = verdict.ending == planning::Ending::kOom ? PointStatus::kOom : PointStatus::kFailed;
  row.reason = verdict.reason;
  row.oom = verdict.oom;
  return row;
}

void SweepReport::add(const reporting::PointRecord& row,
                      std::vector<reporting::TelemetryRecord> telemetry, const std::string& busy) {
  std::vector<reporting::Finding> more;
  if (!busy.empty()) {
    more.push_back(
        reporting::make_finding(reporting::finding_kinds::machine_busy, row.id, {{"told", busy}}));
  }
  run_report_->add_row(row, plan_.stop.least_blocks, std::move(telemetry), std::move(more));
}

bool SweepReport::has_fingerprint() const {
  return std::ranges::any_of(fingerprint_, [](const auto& record) { return !record.rank; });
}

bool SweepReport::has_sustained() const {
  return std::ranges::any_of(fingerprint_, [](const auto& record) {
    return record.what == reporting::MachineRate::kSustainedProduct;
  });
}

void SweepReport::add_replays(std::vector<reporting::ReplayRecord> replays) {
  if (replays.empty()) return;
  run_report_->writer()->amend([&](reporting::Report& report) {
    for (reporting::ReplayRecord& replay : replays) {
      if (session_number_ > 0) replay.session = session_number_;
      report.replays.push_back(std::move(replay));
    }
  });
}

bool SweepReport::has_replays() const { return earlier_ && !earlier_->replays.empty(); }

void SweepReport::add_fingerprint(std::vector<reporting::FingerprintRecord> records) {
  for (auto& record : records) {
    if (session_number_ > 0) record.session = session_number_;
    fingerprint_.push_back(std::move(record));
  }
  run_report_->writer()->amend(
      [&](reporting::Report& report) { report.fingerprint = fingerprint_; });
}

bool SweepReport::was_busy() const {
  return earlier_ && std::ranges::any_of(earlier_->findings, [](const auto& finding) {
           return finding.code == reporting::finding_kinds::machine_busy.code;
         });
}

void SweepReport::note_retry(const planning::Task& task, const std::string& reason) {
  run_report_->writer()->event("retry", task.run.id + ": " + reason);
}

void SweepReport::summarise(const std::map<std::string, std::string>& stop_reasons) {
  run_report_->writer()->amend([&](reporting::Report& report) {
    reporting::summarise_by_plan(report, plan_, stop_reasons);
    precision_ = reporting::precision_of(report);
  });
}

void SweepReport::end_session(const std::map<std::string, std::string>& stop_reasons) {
  run_report_->writer()->amend([&](reporting::Report& report) {
    reporting::summarise_by_plan(report, plan_, stop_reasons);
    report.sessions.back().finished = reporting::utc_now();
  });
}

reporting::RunEnd SweepReport::close(reporting::RunEnd end) {
  const auto status = plan_.sweep.fresh_process ? reporting::ReportStatus::kPartial
                                                : reporting::ReportStatus::kComplete;
  return run_report_->close(status, std::move(end), process::RunReport::Renderings::kWritten);
}

}  // namespace scalemark::sweeping
