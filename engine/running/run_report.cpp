#include "engine/running/run_report.h"

#include <algorithm>
#include <utility>

#include "core/monitoring/environment.h"
#include "core/reporting/assemble.h"
#include "core/reporting/findings.h"
#include "core/reporting/report_json.h"
#include "core/settings/settings_json.h"
#include "engine/running/versions.h"

namespace scalemark::running {
namespace {

// One entry per machine, in rank order.
std::vector<monitoring::Host> gather_hosts(Session& session) {
  std::vector<monitoring::Host> hosts;
  const std::string mine = reporting::encode(monitoring::survey_host());
  for (const std::string& bytes : session.control().gather(mine)) {
    auto host = reporting::decode_host(bytes);
    const bool known = std::any_of(hosts.begin(), hosts.end(), [&](const auto& other) {
      return other.hostname == host.hostname;
    });
    if (!known) hosts.push_back(std::move(host));
  }
  return hosts;
}

reporting::Report opening(const TrainRequest& request, bool with_cuda,
                          std::vector<monitoring::Host> hosts) {
  reporting::Report report;
  report.started = reporting::utc_now();
  report.run_id = request.rendezvous.run_id;
  report.tool = reporting::this_tool();
  report.tool.libraries = library_versions(with_cuda);
  report.invocation = {.command = request.settings.command,
                       .command_line = request.command_line,
                       .launcher = request.world.launcher,
                       .settings_json = settings::to_json(request.settings),
                       .origins = request.settings.origins};
  report.environment = {.hosts = std::move(hosts), .variables = monitoring::allowed_variables()};
  return report;
}

// By UUID: CUDA and NVML number GPUs differently. Empty on a CPU.
std::string device_name(const reporting::Report& report, const std::string& uuid) {
  for (const auto& host : report.environment.hosts) {
    for (const auto& gpu : host.gpus) {
      if (!uuid.empty() && gpu.uuid == uuid) return gpu.name;
    }
  }
  return {};
}

std::string in_words(const reporting::Evaluation& evaluation) {
  return "epoch " + std::to_string(evaluation.epoch) + ": train loss " +
         std::to_string(evaluation.train_loss) + ", held-out loss " +
         std::to_string(evaluation.loss) + ", " + evaluation.metric + " " +
         std::to_string(evaluation.value);
}

}  // namespace

RunReport::RunReport(const TrainRequest& request, Session& session)
    : device_uuid_(session.device().identity()) {
  auto hosts = gather_hosts(session);
  if (session.world().rank != 0) return;
  writer_.emplace(request.settings.general.output,
                  opening(request, session.device().torch_device().is_cuda(), std::move(hosts)),
                  request.settings.general.overwrite ? reporting::ExistingFolder::kOverwrite
                                                     : reporting::ExistingFolder::kRefuse);
}

void RunReport::enter(const std::string& phase) {
  if (writer_) writer_->event(phase);
}

void RunReport::add(const reporting::Evaluation& evaluation) {
  if (writer_) writer_->event("epoch", in_words(evaluation));
}

void RunReport::add_point(reporting::PointRecord identity, const PointOutcome& outcome) {
  if (!writer_) return;
  const auto report = writer_->report();
  identity.evaluation = outcome.evaluations;
  identity.device_name = device_name(report, device_uuid_);
  auto point = reporting::assemble_point(std::move(identity), outcome.ranks);
  auto findings = reporting::findings_of(
      point, {.hosts = report.environment.hosts, .variables = report.environment.variables});
  writer_->add_point(std::move(point), std::move(findings));
}

void RunReport::close(reporting::ReportStatus status, ExitCode exit_code) {
  if (writer_) writer_->close(status, static_cast<int>(exit_code));
}

}  // namespace scalemark::running
