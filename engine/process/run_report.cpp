#include "engine/process/run_report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/launch/meeting_point.h"
#include "core/machine/survey.h"
#include "core/settings/settings_json.h"
#include "engine/process/event_log.h"
#include "engine/process/run_console.h"
#include "report/judge/point/assemble.h"
#include "report/judge/point/causes.h"
#include "report/judge/point/findings.h"
#include "report/record/finding_kinds.h"
#include "report/record/health_figures.h"
#include "report/say/render/render.h"
#include "report/say/render/tensorboard.h"

namespace scalemark::process {
namespace {

reporting::Report first_page(const RunRequest& request, RunReport::Opening& opening) {
  reporting::Report report =
      opening.continued ? std::move(*opening.continued) : reporting::Report{};
  if (report.started.empty()) report.started = reporting::utc_now();
  // One rank meets nobody, but the id distinguishes it for observers of several runs.
  const std::string& id = request.rendezvous.run_id;
  report.run_id =
      id == launching::Rendezvous().run_id ? launching::random_secret().substr(0, 16) : id;
  report.tool = std::move(opening.tool);
  report.invocation = {.command = request.settings.command,
                       .command_line = request.command_line,
                       .launcher = request.world.launcher,
                       .launcher_command = request.launcher_command,
                       .settings_json = opening.settings_json.empty()
                                            ? request.settings.json
                                            : std::move(opening.settings_json),
                       .origins = request.settings.origins,
                       .about = request.about};
  report.scaled_down = request.scaled_down;
  report.environment = {.hosts = std::move(opening.hosts),
                        .variables = monitoring::allowed_variables()};
  if (opening.session) report.sessions.push_back(std::move(*opening.session));
  return report;
}

// Finds the GPU by UUID, since CUDA and NVML number GPUs differently. Empty on a CPU.
std::string device_name(const reporting::Environment& environment, const std::string& uuid) {
  for (const auto& host : environment.hosts) {
    const auto found = monitoring::find_gpu(host.gpus, uuid);
    if (found.gpu) return found.name();
  }
  return {};
}

bool makes_data_in_loop(const ProcessSettings& settings) {
  const auto found = settings.common.find("synthetic_in_loop");
  return found != settings.common.end() && found->second == "true";
}

reporting::OutputFolder folder_of(const RunRequest& request) {
  const auto& general = request.settings.general;
  return {general.output, general.overwrite ? reporting::ExistingFolder::kOverwrite
                                            : reporting::ExistingFolder::kRefuse};
}

}  // namespace

RunReport::RunReport(const RunRequest& request, Opening opening, FailureReporter& failures,
                     OnMore on_more)
    : on_more_(std::move(on_more)),
      tensorboard_(request.settings.general.tensorboard),
      device_uuid_(std::move(opening.device_uuid)),
      synthetic_in_loop_(makes_data_in_loop(request.settings)),
      fail_on_(request.settings.general.fail_on) {
  if (request.world.rank != 0) return;
  auto folder = opening.folder ? std::move(*opening.folder) : folder_of(request);
  auto page = first_page(request, opening);
  environment_ = page.environment;
  earlier_health_ = page.health;
  writer_.emplace(std::move(folder), std::move(page));
  written_failures_ = failures.attach(*writer_);
}

void RunReport::enter(const std::string& phase) {
  if (writer_) writer_->event(phase);
}

void RunReport::add(const reporting::Evaluation& evaluation, const std::string& sample_unit) {
  if (writer_) writer_->event("epoch", in_words(evaluation, sample_unit));
}

void RunReport::note(const std::string& text) {
  if (!writer_) return;
  std::cerr << "scalemark: " << text << std::endl;
  writer_->event("note", text);
}

reporting::PointRecord RunReport::assembled(reporting::PointRecord identity,
                                            const std::vector<reporting::RankMeasurement>& ranks,
                                            const reporting::StepSeries& series) const {
  identity.device_name = device_name(environment_, device_uuid_);
  return reporting::assemble_point(std::move(identity), ranks, series);
}

void RunReport::add_row(reporting::PointRecord point, int repetitions,
                        std::vector<reporting::TelemetryRecord> telemetry,
                        std::vector<reporting::Finding> more) {
  auto findings = reporting::findings_of(point, {.hosts = environment_.hosts,
                                                 .variables = environment_.variables,
                                                 .repetitions = repetitions,
                                                 .telemetry = telemetry,
                                                 .synthetic_in_loop = synthetic_in_loop_});
  std::ranges::move(more, std::back_inserter(findings));
  point.causes = reporting::causes_of(
      point, {.hosts = environment_.hosts, .telemetry = telemetry, .findings = findings});
  write_events(point);
  writer_->add_point(std::move(point), std::move(findings), std::move(telemetry));
  publish();
}

void RunReport::write_events(const reporting::PointRecord& point) const {
  if (tensorboard_.empty()) return;
  tensorboard::Events events;
  reporting::add_results(events, point, /*evaluations_written=*/true);
  append_events(event_file(tensorboard_, point.id), std::move(events));
}

// The efficiency is known once the baselines are, and changes with each session; TensorBoard shows
// the last value. A run that has no event folder yet gets none.
void RunReport::write_efficiency() const {
  if (tensorboard_.empty()) return;
  for (const reporting::PointRecord& point : writer_->report().points) {
    const auto file = event_file(tensorboard_, point.id);
    std::error_code unknown;
    if (!std::filesystem::exists(file.parent_path(), unknown)) continue;
    tensorboard::Events events;
    reporting::add_efficiency(events, writer_->report(), point.id);
    append_events(file, std::move(events));
  }
}

void RunReport::publish() {
  if (on_more_) on_more_(writer_->report());
}

void RunReport::set_health(const std::vector<reporting::HealthRecord>& rows, int session) {
  writer_->amend([&](reporting::Report& report) {
    report.health = earlier_health_;
    for (const auto& row : rows) report.health.emplace_back(row).session = session;
    std::erase_if(report.findings, [](const auto& finding) {
      return finding.code == reporting::finding_kinds::health.code;
    });
    std::ranges::move(reporting::health_findings(report.health),
                      std::back_inserter(report.findings));
  });
  publish();
}

reporting::RunEnd RunReport::close(reporting::ReportStatus status, reporting::RunEnd end,
                                   Renderings renderings) {
  if (!writer_) return end;
  write_efficiency();
  if (status != reporting::ReportStatus::kPartial) {
    end = reporting::judged_end(std::move(end), writer_->report(), fail_on_);
  }
  const auto render = [&](const reporting::Report& report) {
    if (renderings == Renderings::kWritten) {
      reporting::write_renderings(writer_->folder(), report);
    }
  };
  writer_->close(status, static_cast<int>(end.exit_code), render);
  return end;
}

void RunReport::render_what_is_there() noexcept {
  try {
    reporting::write_renderings(writer_->folder(), writer_->report());
  } catch (const std::exception& error) {
    std::cerr << "scalemark: while ending: " << remark_of(error) << std::endl;
  }
}

}  // namespace scalemark::process
