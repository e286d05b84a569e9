// scalemark report: one table over reports that are there.
#include <filesystem>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/reporting/report_json.h"
#include "core/reporting/table.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

reporting::Report read_report(const std::string& path) {
  if (!fs::exists(path)) throw no_input("'" + path + "' is not there", "a report.json");
  const std::string file =
      fs::is_directory(path) ? (fs::path(path) / "report.json").string() : path;
  if (!fs::exists(file)) throw no_input("'" + path + "' holds no report.json");
  return reporting::report_from_json(settings::read_text_file(file), file);
}

}  // namespace

ExitCode report_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given", "a report.json or the folder that holds it is expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  std::vector<reporting::Report> reports;
  for (const std::string& path : invocation.positionals) reports.push_back(read_report(path));
  const auto format = values.text("format") == "md" ? reporting::TableFormat::kMarkdown
                                                    : reporting::TableFormat::kText;
  std::string table = reporting::render_table(reports, format);
  if (!table.ends_with('\n')) table += '\n';
  return print_result(table);
}

}  // namespace scalemark::cli
