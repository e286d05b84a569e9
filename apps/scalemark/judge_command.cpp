// scalemark judge says in five lines what a log, a table or a report measured, what in it cannot be
// true, and where it stands.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "claims/import/given_fields.h"
#include "claims/import/log.h"
#include "claims/import/tables.h"
#include "claims/judge/claims.h"
#include "claims/lint/inputs.h"
#include "claims/lint/lint.h"
#include "claims/rows/row.h"
#include "claims/rows/table_files.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "report/judge/judge.h"
#include "report/record/finding_kinds.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;
using claims::Pasted;

// An error of lint cannot be true; a warning is only a reason to doubt.
void add_findings(const std::vector<lint::Finding>& findings, Pasted& pasted) {
  for (const lint::Finding& one : findings) {
    // The shares of peaks are computed with what --fields says, too.
    if (one.severity == lint::kInfo || one.kind == &reporting::finding_kinds::mfu_implausible)
      continue;
    auto& sentences = one.severity == lint::kError ? pasted.impossible : pasted.doubts;
    sentences.push_back((one.row.empty() ? "" : one.row + ": ") + one.text + " [" + one.kind->code +
                        "]");
  }
}

void add_tables(const std::vector<tables::Table>& tables, Pasted& pasted) {
  add_findings(lint::lint(tables), pasted);
  pasted.compared = lint::count_of(tables).compared;
}

std::string place_of(const importing::Log& log) {
  if (log.last_line == 0) return "";
  const std::string first = std::to_string(log.first_line), last = std::to_string(log.last_line);
  return first == last ? "line " + first : "lines " + first + " to " + last;
}

Pasted pasted_log(const importing::Log& log, const importing::GivenFields& given) {
  Pasted pasted{.file = log.file, .form = log.form, .place = place_of(log)};
  pasted.rows = importing::rows_said(log, given);
  pasted.impossible = log.contradictions;
  pasted.unread = log.unread;
  pasted.notes = log.remarks;
  add_tables(tables::tables_of(published::tables_of(pasted.rows)), pasted);
  pasted.compared += log.compared + (log.exchanges.empty() ? 0 : log.claims.size());
  return pasted;
}

Pasted pasted_table(const std::string& text, const std::string& file,
                    const importing::GivenFields& given) {
  const auto read = tables::read_tables(text, file);
  Pasted pasted{.file = file, .form = "table"};
  pasted.rows = importing::rows_of_tables(read, file, given);
  add_tables(read, pasted);
  for (const tables::Table& table : read) {
    if (table.unread.cells > 0) pasted.unread.push_back(tables::unread_text(table.unread));
  }
  return pasted;
}

Pasted pasted_report(const std::vector<reporting::NamedReport>& reports, const std::string& file) {
  Pasted pasted{.file = file, .form = "scalemark"};
  // Its own command has all that its rates depend on.
  if (reports.size() == 1) pasted.repeat = reporting::repeat_command(reports.front().report);
  for (const auto& [name, report] : reports) {
    auto [table, findings] = lint::lint_report(report, name);
    add_findings(findings, pasted);
    pasted.compared += lint::count_of(std::span(&table, 1)).compared;
    auto rows = claims::rows_measured(report);
    const auto level = report.verdict ? report.verdict->level : reporting::VerdictLevel::kQuotable;
    if (level != reporting::VerdictLevel::kQuotable)
      pasted.notes.push_back(reporting::quoting_in_words(report));
    // A rate with no other beside it has no speed-up, which such a report does not show either.
    if (level == reporting::VerdictLevel::kDoNotQuote && !rows.empty())
      rows = {*std::ranges::max_element(rows, {}, &published::Row::gpus)};
    std::ranges::move(rows, std::back_inserter(pasted.rows));
  }
  return pasted;
}

// Decides by the content, since a pipe has no ending.
Pasted read_pasted(const Invocation& invocation, const settings::ToolValues& values) {
  const std::string file = exactly(invocation, 1, "a log, a table or a report, or -,").front();
  const importing::GivenFields given(values.text("fields").value_or(""), 1);
  if (fs::is_directory(file)) return pasted_report(read_named_reports({file}), file);
  const std::string text = pasted_text(file);
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw bad_data("'" + file + "' is empty", "a log, a table or a report is expected",
                   file == "-" ? "did the command before the pipe fail?" : "");
  if (holds_report(text)) return pasted_report(reports_in(text, file), file);
  const auto number = run_of_log(values);
  if (const auto log = importing::find_log(text, file, number)) return pasted_log(*log, given);
  if (number) throw usage("--run is about logs, and '" + file + "' is none that is known here");
  try {
    return pasted_table(text, file, given);
  } catch (const tables::UnreadTable&) {
    throw;
  } catch (const Error& error) {
    if (error.record().exit_code != ExitCode::kBadData) throw;
    throw importing::unread_file(text, file);
  }
}

}  // namespace

ExitCode judge_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = read_texts(values, {"table", "json"}, outputs);
  const Pasted pasted = read_pasted(invocation, values);
  const claims::Assessment assessment = claims::assess(pasted, library_rows(values));
  write_texts(requests, outputs, [&](const std::string& format, bool on_stdout) {
    if (format == "json") return claims::assessment_json(assessment);
    return claims::assessment_text(assessment, on_stdout ? terminal_of(STDOUT_FILENO) : Terminal());
  });
  return assessment.exit_code;
}

}  // namespace scalemark::cli
