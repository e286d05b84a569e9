#include "apps/scalemark/row_files.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/sources.h"
#include "claims/import/given_fields.h"
#include "claims/import/log.h"
#include "claims/rows/names.h"
#include "claims/rows/row.h"
#include "claims/rows/show.h"
#include "core/base/atomic_file.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"
#include "report/keep/disk.h"

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
                                          .named = group.has_value()},
                                         given);
  published::order_by_id(read.rows, "'" + path + "'");
  return read;
}

void refuse_idle_fields(const settings::ToolValues& values) {
  if (values.given("fields"))
    throw usage("--fields is about a file, and the table comes from a library",
                "a .jsonl, .csv or .md file is expected with it");
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

}  // namespace

ExitCode import_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  if (invocation.positionals.empty()) throw usage("no log is given", "one or more are expected");
  const std::string output = free_output(invocation, values);
  const importing::GivenFields given(values.text("fields").value_or(""),
                                     invocation.positionals.size());
  std::vector<importing::Log> logs;
  for (const std::string& path : invocation.positionals)
    logs.push_back(importing::read_log(read_row_text(path), path));
  const auto imported = importing::import_logs(
      logs, given, values.text("group").value_or(fs::path(output).stem().string()));
  write_row_file(output, imported.rows);
  return print_result(counted(imported.rows.size(), "row") + " of " + forms_of(logs) +
                      " written to " + output + "\n" + joined(imported.lines, "\n") +
                      "\nnext: scalemark published show " + shell_word(output) + "\n");
}

namespace {

bool holds_rows(const fs::path& folder) {
  std::error_code none;
  return std::ranges::any_of(fs::directory_iterator(folder, none), [](const auto& entry) {
    return published::is_library_file(entry.path());
  });
}

// Refuses ids that the library has already, except in the file that is replaced.
void refuse_known_ids(const std::vector<published::Row>& rows, const fs::path& folder,
                      const fs::path& replaced) {
  if (!fs::is_directory(folder) || !holds_rows(folder)) return;
  std::set<std::string> known;
  for (const published::Row& row : published::read_library(folder.string())) known.insert(row.id);
  if (fs::exists(replaced)) {
    for (const published::Row& row :
         published::parse_rows(read_row_text(replaced.string()), replaced.string()))
      known.erase(row.id);
  }
  for (const published::Row& row : rows) {
    if (known.contains(row.id))
      throw bad_data("'" + folder.string() + "' has a row '" + row.id + "' already",
                     "ids that are new there are expected",
                     "give the table another name: --group NAME");
  }
}

// The file has the name of its group, or, with several groups, that of its source.
std::string file_slug(const std::vector<published::Row>& rows, const std::string& source,
                      const settings::ToolValues& values) {
  const bool one = std::ranges::all_of(
      rows, [&](const published::Row& row) { return row.group == rows.front().group; });
  const std::string name =
      values.text("group").value_or(one ? rows.front().group : fs::path(source).stem().string());
  const std::string slug = published::slug_of(name);
  if (slug.empty())
    throw configuration("the table's name is '" + name + "'",
                        "letters or digits are expected in --group");
  return slug;
}

}  // namespace

ExitCode published_add_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const std::string file = exactly(invocation, 1, "a file with a table is expected").front();
  const auto library = values.text("library");
  if (!library) throw usage("--library is not given", "the folder of a library is expected");
  refuse_unwritable_folder("--library", *library);
  const auto read = read_row_file(file, values);
  const fs::path output = fs::path(*library) / (file_slug(read.rows, file, values) + ".jsonl");
  Inputs inputs(invocation);
  inputs.add(file);
  inputs.refuse("--library", output);
  std::error_code failed;
  fs::create_directories(*library, failed);
  if (failed) throw cannot_create("--library '" + *library + "': " + failed.message());
  // The lock keeps two commands from adding at once: neither would see the ids of the other.
  const reporting::LockedFile held(*library, O_RDONLY | O_DIRECTORY);
  if (fs::exists(output) && !values.on("overwrite"))
    throw cannot_create("'" + output.string() + "' exists already", {},
                        "name the table by --group, or give --overwrite");
  refuse_known_ids(read.rows, *library, output);
  write_row_file(output.string(), read.rows);
  return print_result(counted(read.rows.size(), "row") + " (" + read.form + ") written to " +
                      output.string() + "\nnext: scalemark published show " +
                      shell_word(published::name_of_table(read.rows.front().group)) +
                      " --library " + shell_word(*library) + "\n");
}

}  // namespace scalemark::cli
