#include "apps/scalemark/row_files.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/sources.h"
#include "claims/import/given_fields.h"
#include "claims/import/log.h"
#include "claims/rows/row.h"
#include "claims/rows/show.h"
#include "core/base/atomic_file.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

}  // namespace

std::string read_row_text(const std::string& path) {
  std::error_code none;
  const std::uintmax_t bytes = fs::file_size(path, none);
  if (!none && bytes > kMostBytes)
    throw bad_data("'" + path + "' has " + size_text(bytes), "at most 1024 MiB are expected");
  if (const std::string special = special_kind(path); !special.empty())
    throw no_input("'" + path + "' is " + special, "a file is expected");
  std::string text = settings::read_text_file(path);
  refuse_wide_text(text, "'" + path + "'");
  return text;
}

importing::TableFile read_row_file(const std::string& path, const settings::ToolValues& values) {
  const importing::GivenFields given(values.text("fields").value_or(""), 1);
  const auto group = values.text("group");
  auto read = importing::read_table_file(read_row_text(path),
                                         {.file = path,
                                          .group = group.value_or(fs::path(path).stem().string()),
                                          .named = group.has_value(),
                                          .allow_unread = values.on("allow_unread")},
                                         given);
  published::order_by_id(read.rows, "'" + path + "'");
  return read;
}

void refuse_idle_fields(const settings::ToolValues& values) {
  for (const auto& [name, option] :
       {std::pair("fields", "--fields"), std::pair("allow_unread", "--allow-unread")}) {
    if (values.given(name))
      throw usage(std::string(option) + " is about a file, and the table comes from a library",
                  "a .jsonl, .csv, .md, .txt or .html file is expected with it");
  }
}

std::vector<published::Row> library_rows(const settings::ToolValues& values) {
  const auto folder = values.text("library");
  return folder ? published::read_library(*folder) : published::own_library();
}

void write_row_file(const std::string& path, const std::vector<published::Row>& rows) {
  const std::string text = published::export_json_lines(published::tables_of(rows));
  published::parse_rows(text, path);
  write_output(path, text);
}

namespace {

// Checks --output before anything is read.
std::string free_output(const Invocation& invocation, const settings::ToolValues& values) {
  const auto output = values.text("output");
  if (!output) throw usage("--output is not given", "the name of a .jsonl file is expected");
  if (fs::path(*output).extension() != ".jsonl" && !output_place(*output).is_stream)
    throw usage("--output is '" + *output + "'", "a file with the ending .jsonl is expected");
  OutputFiles(inputs_of(invocation, values), values.on("overwrite")).check("--output", *output);
  return *output;
}

std::string forms_of(const std::vector<importing::Log>& logs) {
  std::vector<std::string> forms;
  for (const importing::Log& log : logs) {
    if (std::ranges::find(forms, log.form) == forms.end()) forms.push_back(log.form);
  }
  return joined(forms, " and ");
}

// Throws bad_data() (65) for a log with lines that cannot be read, unless somebody allows them.
void refuse_unread(const importing::Log& log, const settings::ToolValues& values) {
  if (log.unread.empty() || values.on("allow_unread")) return;
  throw bad_data("'" + log.file + "': " + joined(log.unread, "; "), "a whole log is expected",
                 "--allow-unread leaves out what cannot be read");
}

}  // namespace

std::optional<int> run_of_log(const settings::ToolValues& values) {
  const auto text = values.text("run");
  const auto number = whole_number<int>(text.value_or(""));
  if (text && number.value_or(0) < 1)
    throw usage("--run is '" + *text + "'",
                "the number of a run of the log is expected: 1, 2, ...");
  return number;
}

ExitCode import_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  if (invocation.positionals.empty()) throw usage("no log is given", "one or more are expected");
  const std::string output = free_output(invocation, values);
  const importing::GivenFields given(values.text("fields").value_or(""),
                                     invocation.positionals.size());
  std::vector<importing::Log> logs;
  const auto run = run_of_log(values);
  for (const std::string& path : invocation.positionals) {
    logs.push_back(importing::read_log(read_row_text(path), path, run));
    refuse_unread(logs.back(), values);
  }
  const auto imported = importing::import_logs(
      logs, given, values.text("group").value_or(fs::path(output).stem().string()));
  write_row_file(output, imported.rows);
  return print_result(counted(imported.rows.size(), "row") + " of " + forms_of(logs) +
                      " written to " + output + "\n" + joined(imported.lines, "\n") +
                      "\nnext: scalemark published show " + shell_word(output) + "\n");
}

}  // namespace scalemark::cli
