// scalemark report: existing reports, in the forms that people and other programs read.
#include <unistd.h>

#include <string>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/reporting/redact/redact.h"
#include "core/reporting/render/answer/answer.h"
#include "core/reporting/render/render.h"

namespace scalemark::cli {

const HelpPage report_page = {
    "FILE|FOLDER...|--example",
    "Renders reports that `scalemark train`, `sweep` and `comm` wrote; a folder means its "
    "report.json.\n"
    "A file may be what --format json or jsonl wrote, here as wherever a report is read.",
    "  scalemark report --example                        what a report looks like\n"
    "  scalemark report results/runs/a/report.json results/runs/b\n"
    "  scalemark report results/runs/a --format md,html=a.html,junit=a.xml\n"
    "  scalemark report results/runs/a --format svg=figures    figures for a paper\n"
    "  scalemark report results/runs/a --format tensorboard=events\n"};

ExitCode report_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const bool example = values.on("example");
  if (example != invocation.positionals.empty()) {
    throw usage(example ? "--example and '" + invocation.positionals.front() + "' are both given"
                        : "no report is given",
                example ? "one of the two is expected"
                        : "a report.json, the folder that holds it, or --example is expected");
  }
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = read_formats(values, outputs);
  const reporting::FailOn fail_on(values.text("fail_on").value());
  std::vector<reporting::Report> reports;
  std::vector<std::string> places;
  std::vector<reporting::NamedReport> read = read_named_reports(invocation.positionals);
  if (example) read.push_back({"", example_report()});
  for (auto& [place, report] : read) {
    reports.push_back(values.on("redact") ? reporting::redacted(report) : std::move(report));
    if (!example && !values.on("redact")) places.push_back(place);
  }
  const auto withheld =
      values.on("withheld") ? reporting::Withheld::kMarked : reporting::Withheld::kLeftOut;
  const auto rendered = [&](const reporting::RenderRequest& request) {
    if (request.format != reporting::Format::kTable) {
      return reporting::render(request.format, reports, withheld);
    }
    const Terminal terminal = request.file.empty() ? terminal_of(STDOUT_FILENO) : Terminal();
    if (values.on("details")) return reporting::render_console(reports, withheld, terminal);
    if (!request.file.empty()) return reporting::render(request.format, reports, withheld);
    return reporting::render_answer(reports, places, terminal, withheld);
  };
  write_formats(requests, outputs, rendered, reports, withheld);
  ExitCode code = ExitCode::kPass;
  for (const auto& report : reports) code = judged_by(fail_on, report, code);
  return code;
}

}  // namespace scalemark::cli
