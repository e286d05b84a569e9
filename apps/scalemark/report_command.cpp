// scalemark report: one table over reports that are there.
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/reporting/table.h"

namespace scalemark::cli {

ExitCode report_command(const Invocation& invocation) {
  if (invocation.positionals.empty()) {
    throw usage("no report is given", "a report.json or the folder that holds it is expected");
  }
  const settings::ToolValues values = read_tool_values(invocation);
  const std::vector<reporting::Report> reports = read_reports(invocation.positionals);
  const auto format = values.text("format") == "md" ? reporting::TableFormat::kMarkdown
                                                    : reporting::TableFormat::kText;
  std::string table = reporting::render_table(reports, format);
  if (!table.ends_with('\n')) table += '\n';
  return print_result(table);
}

}  // namespace scalemark::cli
