// scalemark lint finds what cannot be true in published numbers or in a report, published lint in
// the tables of the program's own library.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "claims/import/log.h"
#include "claims/lint/inputs.h"
#include "claims/lint/lint.h"
#include "claims/rows/names.h"
#include "claims/rows/row.h"
#include "claims/rows/table_files.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

bool is_report(const std::string& path) {
  std::error_code none;
  return fs::is_directory(path, none) || fs::path(path).extension() == ".json";
}

// Returns the reports in the file, or adds its tables to `tables`. The text decides what it holds,
// since a pipe's name does not show it, and a pipe can be read only once.
std::vector<reporting::NamedReport> add_tables(const std::string& path,
                                               std::vector<tables::Table>& tables) {
  const std::string text = pasted_text(path);
  if (holds_report(text)) return reports_in(text, path);
  try {
    for (tables::Table& table : tables::read_tables(text, path)) tables.push_back(std::move(table));
  } catch (const tables::NoTable&) {
    throw importing::unread_file(text, path);
  }
  return {};
}

// Writes `findings` in each --format, and returns kFail where --fail-on names one of them.
ExitCode finish_with_findings(const Invocation& invocation, const settings::ToolValues& values,
                              const std::vector<lint::Finding>& findings,
                              const lint::Judged& judged) {
  const reporting::FailOn fail_on(values.text("fail_on").value());
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = read_texts(values, {"table", "md", "jsonl"}, outputs);
  write_texts(requests, outputs, [&](const std::string& format, bool on_stdout) {
    if (format == "md") return lint::markdown_text(findings, judged);
    if (format == "jsonl") return lint::json_lines(findings);
    return lint::findings_text(findings, judged,
                               on_stdout ? terminal_of(STDOUT_FILENO) : Terminal());
  });
  for (const lint::Finding& one : findings) {
    if (fail_on.names({.code = one.kind->code, .severity = one.severity})) return ExitCode::kFail;
  }
  return ExitCode::kPass;
}

ExitCode explain_finding(const std::string& code) {
  return print_result(lint::explanation_text(code, terminal_of(STDOUT_FILENO)));
}

}  // namespace

ExitCode lint_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  if (const auto code = values.text("explain")) return explain_finding(*code);
  if (invocation.positionals.empty()) {
    throw usage("no file is given",
                "a report, or a Markdown, HTML or CSV file with a table, is expected");
  }
  std::vector<tables::Table> tables, of_reports;
  std::vector<lint::Finding> findings;
  // A file that cannot be read does not keep the others from being judged.
  std::optional<Error> unreadable;
  std::vector<reporting::NamedReport> all;
  for (const std::string& path : invocation.positionals) {
    try {
      auto reports = is_report(path) ? read_named_reports({path}) : add_tables(path, tables);
      std::ranges::move(reports, std::back_inserter(all));
    } catch (const Error& error) {
      if (invocation.positionals.size() == 1) throw;
      print_error(error.record());
      unreadable = error;
    }
  }
  for (const auto& [name, report] : counted_once(std::move(all))) {
    auto [table, own] = lint::lint_report(report, name);
    std::ranges::move(own, std::back_inserter(findings));
    of_reports.push_back(std::move(table));
  }
  const auto of_tables = lint::lint(tables);
  findings.insert(findings.end(), of_tables.begin(), of_tables.end());
  tables.insert(tables.end(), of_reports.begin(), of_reports.end());
  const ExitCode code = finish_with_findings(invocation, values, findings, lint::count_of(tables));
  return code == ExitCode::kPass && unreadable ? unreadable->record().exit_code : code;
}

ExitCode published_lint_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  if (const auto code = values.text("explain")) return explain_finding(*code);
  const std::string word = at_most_one(invocation);
  const auto rows = library_rows(values);
  const auto tables = tables::tables_of(word.empty() ? published::tables_of(rows)
                                                     : published::find_tables(rows, word));
  return finish_with_findings(invocation, values, lint::lint(tables), lint::count_of(tables));
}

}  // namespace scalemark::cli
