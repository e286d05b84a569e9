// published list | show | export | add work on the numbers that others published, in the
// program's own library or in a folder of one's own.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "claims/import/tables.h"
#include "claims/lint/inputs.h"
#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "claims/rows/row.h"
#include "claims/rows/show.h"
#include "claims/rows/table_files.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "report/keep/disk.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

published::Here here(const std::vector<published::Row>& rows) {
  const claims::Machine machine = machine_of(probe_machine().machine, /*scaled_down=*/false);
  return {.chip = machine.chip, .gpus = machine.gpus, .impossible = lint::impossible_rows(rows)};
}

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

ExitCode published_list_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const auto rows = library_rows(values);
  const auto tables = published::narrowed(published::tables_of(rows), invocation.positionals);
  return page_result(
      published::list_text(tables, here(rows), values.on("all"), terminal_of(STDOUT_FILENO)));
}

ExitCode published_show_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const std::string word = at_most_one(invocation);
  if (word.empty()) {
    throw usage("no table is named",
                "the name of a published table, or a file with one, is expected",
                "`scalemark published list` lists them");
  }
  const bool file = importing::is_table_file(word);
  if (!file) refuse_idle_fields(values);
  const auto rows = file ? read_row_file(word, values).rows : library_rows(values);
  const published::Here machine = here(rows);
  std::string text;
  for (const auto& table : file ? published::tables_of(rows) : published::find_tables(rows, word)) {
    text += (text.empty() ? "" : "\n") +
            published::show_text(table, machine, terminal_of(STDOUT_FILENO));
  }
  return page_result(text);
}

ExitCode published_export_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const std::string word = at_most_one(invocation);
  const auto rows = library_rows(values);
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

ExitCode published_add_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const std::string file = exactly(invocation, 1, "a file with a table is expected").front();
  const auto library = values.text("library");
  if (!library)
    throw usage("--library is not given", "the folder of a library is expected",
                "--library mine makes one where there is none");
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
