// scalemark reproduce runs the configurations that published numbers are about, and says claimed /
// measured / verdict.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/read_reports.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "claims/import/tables.h"
#include "claims/judge/claims.h"
#include "claims/rows/mapping.h"
#include "claims/rows/row.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "report/keep/disk.h"
#include "report/record/report_json.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;
using claims::PlannedCommand;
using published::NamedTable;
using reporting::ClaimRecord;

// The rows that are asked for: a file of rows, or tables of a library.
struct Asked {
  std::vector<published::Row> rows;
  std::vector<NamedTable> tables;  // points into rows
};

void find_asked(const Invocation& invocation, const settings::ToolValues& values, Asked& asked) {
  if (invocation.positionals.empty()) {
    throw usage("no table is named",
                "the name of a published table, or a file of rows (.jsonl, .csv, .md), is expected",
                "`scalemark published list` lists them");
  }
  const std::string& word = invocation.positionals.front();
  if (invocation.positionals.size() > 1)
    throw usage("'" + invocation.positionals[1] + "' is one name too many",
                "one table at a time is expected");
  if (importing::is_table_file(word)) {
    asked.rows = read_row_file(word, values).rows;
    asked.tables = published::tables_of(asked.rows);
    return;
  }
  refuse_idle_fields(values);
  const auto library = values.text("library");
  asked.rows = library ? published::read_library(*library) : published::own_library();
  asked.tables = published::find_tables(asked.rows, word);
}

// The precision that is asked for; empty: all. Throws configuration() (78) for one that no row of
// the tables has.
std::string only_precision(const settings::ToolValues& values,
                           const std::vector<NamedTable>& tables) {
  if (!values.given("precision")) return "";
  const std::string wanted = values.text("precision").value_or("");
  std::set<std::string> there;
  for (const NamedTable& table : tables) {
    for (const published::Row* row : table.rows) {
      const auto mapping = published::map_row(*row);
      if (mapping.point)
        there.insert(mapping.point->precisions.begin(), mapping.point->precisions.end());
    }
  }
  if (there.contains(wanted)) return wanted;
  throw configuration("--precision is '" + wanted + "', which no row of the table has",
                      there.empty() ? "" : joined(there, ", "));
}

// Rows of other precisions are left out.
void keep_precision(std::vector<NamedTable>& tables, const std::string& precision) {
  if (precision.empty()) return;
  for (NamedTable& table : tables) {
    std::erase_if(table.rows, [&](const published::Row* row) {
      const auto mapping = published::map_row(*row);
      return !mapping.point || std::ranges::find(mapping.point->precisions, precision) ==
                                   mapping.point->precisions.end();
    });
  }
  std::erase_if(tables, [](const NamedTable& table) { return table.rows.empty(); });
}

std::vector<std::string> listed_reports(const std::string& text) {
  std::vector<std::string> paths;
  std::stringstream all(text);
  for (std::string path; std::getline(all, path, ',');) {
    if (!path.empty()) paths.push_back(path);
  }
  if (paths.empty())
    throw usage("--from names no report",
                "folders or report.json files, with commas between, are expected");
  return paths;
}

// Words that `reproduce` passes on to each of the planned commands.
std::vector<std::string> words_of(const PlannedCommand& planned, const settings::ToolValues& values,
                                  const fs::path& output) {
  std::vector<std::string> words = planned.words();
  if (const auto time = values.text("scale_down"))
    words.push_back("--scale-down" + (*time == "on" ? "" : "=" + *time));
  if (values.on("yes")) words.push_back("--yes");
  if (values.on("overwrite")) words.push_back("--overwrite");
  words.push_back("--output");
  words.push_back(output.string());
  return words;
}

// Runs this program with `words` in the foreground; returns its exit code.
int run_child(const std::vector<std::string>& words) {
  std::vector<std::string> all{"scalemark"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ);
  if (failed == EAGAIN) throw thread_shortage();
  if (failed != 0)
    throw system_error(std::string("a run could not be started: ") + std::strerror(failed));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR)
      throw system_error(std::string("a run could not be waited for: ") + std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Whether a run that ended with this code has measured something: all is well, there are findings,
// or rows have no number.
bool has_measured(int code) {
  const auto known = static_cast<ExitCode>(code);
  return known == ExitCode::kPass || known == ExitCode::kFail || known == ExitCode::kUnsure ||
         known == ExitCode::kOutOfMemory || known == ExitCode::kSilentCorruption;
}

std::string dry_run_text(const std::vector<PlannedCommand>& commands,
                         const settings::ToolValues& values, const std::vector<fs::path>& outputs,
                         const std::vector<ClaimRecord>& claims) {
  std::string text;
  for (std::size_t i = 0; i < commands.size(); ++i)
    text += shell_command(words_of(commands[i], values, outputs[i])) + "\n";
  for (const PlannedCommand& planned : commands) {
    if (planned.options.front().first != "config") text += "\n" + planned.config_text();
  }
  return text + (text.empty() ? "" : "\n") +
         claims::claims_text(claims, terminal_of(STDOUT_FILENO));
}

// Each claim stands in the report that holds its groups; what no report holds, in the first.
void add_claims(const std::vector<fs::path>& folders, std::vector<reporting::Report>& reports,
                const std::vector<ClaimRecord>& claims) {
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto is_here = [&](const ClaimRecord& claim) {
      const auto holds = [&](const std::string& group) {
        return std::ranges::any_of(reports[i].groups,
                                   [&](const auto& one) { return one.group == group; }) ||
               std::ranges::any_of(reports[i].collective_groups,
                                   [&](const auto& one) { return one.group == group; });
      };
      return claim.groups.empty() ? i == 0 : std::ranges::any_of(claim.groups, holds);
    };
    reports[i].claims.clear();
    std::ranges::copy_if(claims, std::back_inserter(reports[i].claims), is_here);
    // The run has released the folder, and another run may have begun in it.
    const reporting::LockedFile held(folders[i], O_RDONLY | O_DIRECTORY);
    reporting::write_atomically(folders[i] / "report.json", reporting::to_json(reports[i]));
  }
}

ExitCode write_claims(const std::vector<reporting::FormatRequest>& requests,
                      const OutputFiles& outputs, const std::vector<ClaimRecord>& claims) {
  write_texts(requests, outputs, [&](const std::string& format, bool on_stdout) {
    if (format == "md") return claims::claims_markdown(claims);
    if (format == "csv") return claims::claims_csv(claims);
    if (format == "jsonl") return claims::claims_json_lines(claims);
    return format == "junit"
               ? claims::claims_junit(claims, reporting::utc_now())
               : claims::claims_text(claims, on_stdout ? terminal_of(STDOUT_FILENO) : Terminal());
  });
  return claims::exit_code_of(claims);
}

}  // namespace

ExitCode reproduce_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  Asked asked;
  find_asked(invocation, values, asked);
  const std::string precision = only_precision(values, asked.tables);
  keep_precision(asked.tables, precision);
  const auto from = values.text("from");
  if (from && (values.on("dry_run") || values.given("output") || values.given("scale_down"))) {
    throw usage("--from runs nothing, and --dry-run, --output and --scale-down are about runs",
                "--from by itself is expected");
  }
  if (values.on("dry_run") && values.given("format")) {
    throw usage("--dry-run prints the plan, and --format is about verdicts",
                "one of the two is expected");
  }
  OutputFiles outputs(inputs_of(invocation, values), values.on("overwrite"));
  const auto requests = read_texts(values, {"table", "md", "csv", "jsonl", "junit"}, outputs);
  if (from)
    return write_claims(requests, outputs,
                        claims::judge(asked.tables, read_reports(listed_reports(*from))));

  const auto commands = claims::commands_for(asked.tables, precision);
  const fs::path output = values.text("output").value_or(
      "results/runs/reproduce-" +
      published::slug_of(fs::path(invocation.positionals.front()).stem().string()));
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < commands.size(); ++i)
    folders.push_back(commands.size() == 1 ? output : output / std::to_string(i + 1));
  const auto unmeasured = claims::judge(asked.tables, {});
  if (values.on("dry_run"))
    return print_result(dry_run_text(commands, values, folders, unmeasured));
  if (commands.empty()) {
    print_note("nothing of this table can be run");
    return write_claims(requests, outputs, unmeasured);
  }
  std::vector<reporting::Report> reports;
  std::vector<fs::path> measured;
  ExitCode worst = ExitCode::kPass;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto words = words_of(commands[i], values, folders[i]);
    print_note(shell_command(words));
    const int code = run_child(words);
    if (code != 0 && worst == ExitCode::kPass) worst = static_cast<ExitCode>(code);
    if (!has_measured(code)) break;  // earlier measurements are judged all the same
    for (reporting::Report& report : read_reports({folders[i].string()}))
      reports.push_back(std::move(report));
    measured.push_back(folders[i]);
  }
  if (measured.empty()) return worst;
  const auto claims = claims::judge(asked.tables, reports);
  add_claims(measured, reports, claims);
  print_result("\n");
  const ExitCode judged = write_claims(requests, outputs, claims);
  return worst == ExitCode::kPass ? judged : worst;
}

}  // namespace scalemark::cli
