// scalemark published list | show | lint | export: numbers that others published.
#include <unistd.h>

#include <algorithm>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/formats.h"
#include "apps/scalemark/lint_output.h"
#include "apps/scalemark/machine_probe.h"
#include "apps/scalemark/outputs.h"
#include "apps/scalemark/row_files.h"
#include "apps/scalemark/sources.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/importing/tables.h"
#include "core/lint/inputs.h"
#include "core/published/chips.h"
#include "core/published/library.h"
#include "core/published/names.h"
#include "core/published/show.h"

namespace scalemark::cli {
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

// Each word may stand anywhere in a table's name, group, network, machine or source.
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

const HelpPage published_list_page = {
    "[WORD...]",
    "Lists the tables of throughput that others published, and claims of guides, as they come "
    "with\n"
    "the program: their networks and counts of GPUs, and what can be tested here or elsewhere.\n"
    "WORDs narrow the list: all of them must fit.",
    "  scalemark published list\n"
    "  scalemark published list bert a100\n"};

ExitCode published_list_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  const auto rows = rows_of(values);
  const auto tables = tables_with(published::tables_of(rows), invocation.positionals);
  return page_result(published::list_text(tables, here(), terminal_of(STDOUT_FILENO)));
}

const HelpPage published_show_page = {
    "TABLE|FILE",
    "Shows one published table, or those of a file of yours (.jsonl, .csv, .md), with its source: "
    "its rates, printed speed-ups beside those that "
    "the\n"
    "rates give, and what of it can be tested.",
    "  scalemark published show dle-resnet50-a100\n"
    "  scalemark published show practice-buckets\n"
    "  scalemark published show pub-0289          the table that holds this row\n"};

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

const HelpPage published_export_page = {
    "[TABLE]",
    "Writes the rows of a published table, or of all: as CSV with a column for each field, as\n"
    "Markdown, or as JSON Lines in the form of results/published.",
    "  scalemark published export lambda-h100-resnet50 > h100.csv\n"
    "  scalemark published export --format jsonl=rows.jsonl\n"};

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

const HelpPage published_lint_page = {
    "[TABLE]",
    "Judges the published tables as `lint` judges a file: printed numbers that cannot both be "
    "true,\n"
    "and those that cannot be true with their siblings. Exit code: as lint.",
    "  scalemark published lint\n"
    "  scalemark published lint dle-tensorflow1-bert-large-squad1-1-dgx-1-32gb\n"};

ExitCode published_lint_command(const Invocation& invocation) {
  const settings::ToolValues values = read_tool_values(invocation);
  if (const auto code = values.text("explain")) return explain_finding(*code);
  const std::string word = word_of(invocation, "");
  const auto rows = rows_of(values);
  const auto tables = lint::tables_of(word.empty() ? published::tables_of(rows)
                                                   : published::find_tables(rows, word));
  return tell_findings(invocation, values, lint::lint(tables), lint::count_of(tables));
}

}  // namespace scalemark::cli
