// scalemark published add: rows of somebody's table into a library of one's own.
#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/published/library.h"
#include "core/published/names.h"
#include "core/reporting/output/disk.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

bool holds_rows(const fs::path& folder) {
  std::error_code none;
  return std::ranges::any_of(fs::directory_iterator(folder, none), [](const auto& entry) {
    return published::is_library_file(entry.path());
  });
}

// Rows there, but for those of the file that is replaced.
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

// One group gives its name to the file; several, the file that they come from.
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

const HelpPage published_add_page = {
    "FILE",
    "Adds the rows of a table to a library of your own, a folder that `published` and\n"
    "`reproduce` take as --library: CSV or Markdown with columns of GPUs and throughputs, timm's\n"
    "benchmark CSV, SuperBench's results-summary.jsonl and baseline.json, or rows as .jsonl. What\n"
    "the file does not say is asked for, never guessed: --fields says it.",
    "  scalemark published add h100.csv --library mine --fields \\\n"
    "      workload=resnet50,precision=amp_bf16,system=H100,unit=img/s\n"
    "  scalemark published show h100 --library mine\n"};

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
  // Two that add at once would each find the other's ids missing, and the library would be broken.
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
