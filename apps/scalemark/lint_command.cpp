// scalemark lint finds what cannot be true in published numbers or in a report; published list |
// show | lint | export work on the numbers that others published.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "claims/import/tables.h"
#include "claims/lint/inputs.h"
#include "claims/lint/lint.h"
#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "claims/rows/row.h"
#include "claims/rows/show.h"
#include "claims/rows/table_files.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"

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
  const std::string text = settings::read_text_file(path);
  refuse_wide_text(text, "'" + path + "'");
  constexpr std::size_t kNear = 4096;
  if (text.substr(0, kNear).find("\"scalemark.report/") != std::string::npos)
    return reports_in(text, path);
  for (tables::Table& table : tables::read_tables(text, path)) tables.push_back(std::move(table));
  return {};
}

// Lint and published lint end with this: it writes `findings` in each --format, and returns kFail
// where --fail-on names one of them.
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

namespace {

std::vector<published::Row> rows_of(const settings::ToolValues& values) {
  const auto folder = values.text("library");
  return folder ? published::read_library(*folder) : published::own_library();
}

// A single positional, or none where `needed` is empty.
std::string word_of(const Invocation& invocation, const std::string& needed) {
  const auto& words = invocation.positionals;
  if (words.size() > 1) throw usage("'" + words[1] + "' is one name too many", "one is expected");
  if (words.empty() && !needed.empty()) {
    throw usage("no table is named", needed, "`scalemark published list` lists them");
  }
  return words.empty() ? "" : words.front();
}

published::Here here() {
  const settings::Machine machine = probe_machine().machine;
  published::Here here{.chip = {}, .gpus = static_cast<std::int64_t>(machine.gpus.size())};
  if (machine.gpus.empty()) return here;
  if (const auto chip = published::chip_in(machine.gpus.front().name)) here.chip = chip->name;
  return here;
}

// The tables in which each word stands somewhere: in name, group, network, machine or source.
std::vector<published::NamedTable> tables_with(std::vector<published::NamedTable> tables,
                                               const std::vector<std::string>& words) {
  std::erase_if(tables, [&](const published::NamedTable& table) {
    const published::Row& first = *table.rows.front();
    std::string text;
    for (const std::string& part :
         {table.name, table.group, first.workload, first.system, first.repo})
      text += published::letters_of(part) + " ";
    return !std::ranges::all_of(words, [&](const std::string& word) {
      return text.find(published::letters_of(word)) != std::string::npos;
    });
  });
  if (tables.empty())
    throw no_input("no published table has '" + joined(words, "' and '") +
                   "' in its name, network, machine or source");
  return tables;
}

}  // namespace

ExitCode published_list_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const auto rows = rows_of(values);
  const auto tables = tables_with(published::tables_of(rows), invocation.positionals);
  return page_result(published::list_text(tables, here(), terminal_of(STDOUT_FILENO)));
}

ExitCode published_show_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const std::string word =
      word_of(invocation, "the name of a published table, or a file with one, is expected");
  const bool file = importing::is_table_file(word);
  if (!file) refuse_idle_fields(values);
  const auto rows = file ? read_row_file(word, values).rows : rows_of(values);
  const published::Here machine = here();
  std::string text;
  for (const auto& table : file ? published::tables_of(rows) : published::find_tables(rows, word)) {
    text += (text.empty() ? "" : "\n") +
            published::show_text(table, machine, terminal_of(STDOUT_FILENO));
  }
  return page_result(text);
}

ExitCode published_export_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const std::string word = word_of(invocation, "");
  const auto rows = rows_of(values);
  const auto tables =
      word.empty() ? published::tables_of(rows) : published::find_tables(rows, word);
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = read_texts(values, {"csv", "md", "jsonl"}, outputs);
  write_texts(requests, outputs, [&](const std::string& format, bool) {
    if (format == "md") return published::export_markdown(tables);
    return format == "csv" ? published::export_csv(tables) : published::export_json_lines(tables);
  });
  return ExitCode::kPass;
}

ExitCode published_lint_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  if (const auto code = values.text("explain")) return explain_finding(*code);
  const std::string word = word_of(invocation, "");
  const auto rows = rows_of(values);
  const auto tables = tables::tables_of(word.empty() ? published::tables_of(rows)
                                                     : published::find_tables(rows, word));
  return finish_with_findings(invocation, values, lint::lint(tables), lint::count_of(tables));
}

}  // namespace scalemark::cli
