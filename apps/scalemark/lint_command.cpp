// scalemark lint: what cannot be true in a report, or in a table that somebody printed.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/lint_output.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/lint/inputs.h"
#include "core/settings/config_file.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

bool is_report(const std::string& path) {
  std::error_code none;
  return fs::is_directory(path, none) || fs::path(path).extension() == ".json";
}

// The reports, where it holds such: a pipe's name does not say so, and is read only once.
std::vector<reporting::NamedReport> add_tables(const std::string& path,
                                               std::vector<lint::Table>& tables) {
  const std::string text = settings::read_text_file(path);
  refuse_wide_text(text, "'" + path + "'");
  constexpr std::size_t kNear = 4096;
  if (text.substr(0, kNear).find("\"scalemark.report/") != std::string::npos)
    return reports_in(text, path);
  for (lint::Table& table : lint::read_tables(text, path)) tables.push_back(std::move(table));
  return {};
}

}  // namespace

const HelpPage lint_page = {
    "REPORT|TABLE...",
    "Says what cannot be true: in a report of scalemark (a folder or a file), or in the "
    "tables\n"
    "of a Markdown, HTML or CSV file. An error is two printed numbers that contradict each other,\n"
    "a warning one that cannot be true with its siblings, an info is only unlikely. Rounding is\n"
    "granted. Exit code: 1 for an error (--fail-on changes that), else 0.\n"
    "A table has a row for each count of GPUs (GPUs, or \"8x A100\" in a column of setups), or a\n"
    "column for each (\"1 GPU\", \"8 GPUs\").",
    "  scalemark lint blog.md\n"
    "  scalemark lint results/runs/sweep\n"
    "  scalemark lint --explain not_the_ratio\n"};

ExitCode lint_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  if (const auto code = values.text("explain")) return explain_finding(*code);
  if (invocation.positionals.empty()) {
    throw usage("no file is given",
                "a report, or a Markdown, HTML or CSV file with a table, is expected");
  }
  std::vector<lint::Table> tables, of_reports;
  std::vector<lint::Finding> findings;
  // One file that cannot be read costs no other its verdict.
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
  const ExitCode code = tell_findings(invocation, values, findings, lint::count_of(tables));
  return code == ExitCode::kPass && unreadable ? unreadable->record().exit_code : code;
}

ExitCode tell_findings(const Invocation& invocation, const settings::ToolValues& values,
                       const std::vector<lint::Finding>& findings, const lint::Judged& judged) {
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

}  // namespace scalemark::cli
