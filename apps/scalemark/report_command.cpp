// scalemark report: reports that are there, in the forms that people and other programs read.
#include <filesystem>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/reporting/render/redact.h"
#include "core/reporting/render/render.h"
#include "core/reporting/render/requests.h"
#include "core/reporting/writer.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

// A folder that is not there is refused before anything is written: half of what was asked for
// would be worse than nothing.
void refuse_missing_folders(const std::vector<reporting::RenderRequest>& requests) {
  for (const auto& request : requests) {
    if (request.file.empty()) continue;
    const fs::path folder = fs::path(request.file).parent_path();
    if (!folder.empty() && !fs::is_directory(folder)) {
      throw cannot_create("'" + request.file + "': there is no folder '" + folder.string() + "'");
    }
    if (fs::is_directory(request.file)) {
      throw cannot_create("'" + request.file + "' is a folder", "a file");
    }
  }
}

}  // namespace

ExitCode report_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given", "a report.json or the folder that holds it is expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const auto requests = reporting::read_render_requests(values.text("format").value_or("table"));
  refuse_missing_folders(requests);
  std::vector<reporting::Report> reports = read_reports(invocation.positionals);
  if (values.on("redact")) {
    for (auto& report : reports) report = reporting::redacted(report);
  }
  for (const auto& request : requests) {
    const std::string text = reporting::render(request.format, reports);
    if (request.file.empty()) {
      print_result(text);
    } else {
      reporting::write_atomically(request.file, text);
    }
  }
  return ExitCode::kPass;
}

}  // namespace scalemark::cli
