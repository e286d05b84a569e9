#include "apps/scalemark/doctor_report.h"

#include <span>
#include <utility>

#include "apps/scalemark/engine_loader.h"
#include "apps/scalemark/library_folder.h"
#include "apps/scalemark/torch_folder.h"
#include "core/base/error.h"
#include "core/monitoring/environment.h"
#include "core/reporting/judge/judge.h"
#include "core/reporting/point/fingerprint.h"
#include "core/reporting/point/telemetry.h"

namespace scalemark::cli {
namespace {

fingerprint::MeasureRequest request_of(const settings::ToolValues& values,
                                       const ProbedMachine& probed, const TorchFolder& torch) {
  fingerprint::MeasureRequest request;
  request.device =
      probed.machine.gpus.empty() ? settings::DeviceKind::kCpu : settings::DeviceKind::kCuda;
  request.threads = probed.machine.cores;
  request.torch = torch.path.string();
  request.library_folder = library_folder().string();
  request.folder = values.text("output").value_or(".");
  return request;
}

reporting::Report first_page(const Invocation& invocation) {
  reporting::Report report;
  report.started = reporting::utc_now();
  report.run_id = "none";
  report.tool = reporting::this_tool();
  report.invocation.command = "doctor";
  report.invocation.command_line = invocation.command_line;
  report.invocation.launcher = "single";
  report.invocation.settings_json = "{}";
  report.environment = {.hosts = {monitoring::survey_host()},
                        .variables = monitoring::allowed_variables()};
  return report;
}

}  // namespace

reporting::Report measured_report(const Invocation& invocation, const settings::ToolValues& values,
                                  const ProbedMachine& probed) {
  const TorchFolder torch = find_torch(values.text("torch").value_or(""));
  reporting::Report report = first_page(invocation);
  const api::EngineApi& engine = load_engine(torch);
  report.tool.libraries["libtorch"].running_with = engine.torch_version;
  fingerprint::MeasuredMachine measured = engine.measure(request_of(values, probed, torch));
  if (measured.error) throw Error(*measured.error);
  report.fingerprint = std::move(measured.records);
  report.telemetry = reporting::telemetry_of("", std::span(&measured.readings, 1));
  reporting::mark_disturbed(report);
  report.finished = reporting::utc_now();
  report.status = reporting::ReportStatus::kComplete;
  report.exit_code = static_cast<int>(ExitCode::kPass);
  reporting::judge(report);
  return report;
}

}  // namespace scalemark::cli
