#include "claims/rows/table_files.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "claims/rows/read_tables.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

// A row may hold what its source printed: where we have corrected a cell, the mistake is the
// table's.
std::optional<double> printed_or(const published::Row& row, const char* field,
                                 std::optional<double> value) {
  const auto found = row.printed.find(field);
  if (found == row.printed.end()) return value;
  const Cell printed = read_cell(found->second);
  return printed.values.empty() ? value : std::optional(printed.values[0].number.value);
}

// Labels also say "strong" for a fixed batch of an optimizer step, though each GPU keeps its batch.
bool is_strong(const published::Row& row) {
  return row.scaling_label && lower_case(*row.scaling_label).find("strong") != std::string::npos &&
         !row.batch_per_gpu;
}

Row row_of(const published::Row& from) {
  Row row{.id = from.id};
  row.series = from.framework + "|" + from.data.value_or("") + "|" +
               from.scaling_label.value_or("") + "|" + from.path;
  row.chip = from.system;
  row.network = from.workload;
  row.precision = from.precision;
  row.phase = from.phase.value_or("");
  row.unit = from.unit;
  row.gpus = from.gpus;
  row.batch = printed_or(from, "batch_per_gpu", from.batch_per_gpu);
  row.accumulation = printed_or(from, "accum", from.gradient_accumulation_steps);
  row.global_batch = printed_or(from, "global_batch", from.global_batch_size);
  row.sequence_length = from.sequence_length;
  if (from.throughput) row.rate = as_printed(*from.throughput);
  if (from.published_speedup) row.speedup = as_printed(*from.published_speedup);
  row.strong = is_strong(from);
  if (from.batch_per_gpu) row.series += "|" + significant(*from.batch_per_gpu, 9);
  return row;
}

}  // namespace

std::string unread_text(const Unread& unread) {
  return std::to_string(unread.cells) + " of " +
         counted(static_cast<std::int64_t>(unread.of), "cell") + " could not be read, " +
         unread.place + ": '" + shortened(with_blanks(unread.text), 40) + "'" +
         (unread.ambiguous ? " (which is the decimal sign?)" : "");
}

std::vector<Table> tables_of(const std::vector<published::NamedTable>& tables) {
  std::vector<Table> all;
  for (const published::NamedTable& table : tables) {
    Table one{.name = table.name, .rows = {}};
    for (const published::Row* row : table.rows) {
      if (row->metric.empty() && (row->throughput || row->published_speedup))
        one.rows.push_back(row_of(*row));
    }
    if (!one.rows.empty()) all.push_back(std::move(one));
  }
  return all;
}

std::vector<Table> read_tables(std::string_view text, const std::string& file) {
  const std::string ending = lower_case(std::filesystem::path(file).extension().string());
  if (ending == ".jsonl") {
    const auto rows = published::parse_rows(text, file);
    return tables_of(published::tables_of(rows));
  }
  TablesRead read = ending == ".csv" || ending == ".tsv"    ? read_csv(text, ending == ".tsv")
                    : ending == ".html" || ending == ".htm" ? read_html(text)
                                                            : read_markdown(text);
  // A pipe has no ending that says whether its table is a CSV.
  if (read.tables.empty() && read.unread.empty() && !ending.starts_with(".md")) {
    TablesRead csv = read_csv(text, /*tabs=*/false);
    if (!csv.tables.empty() || !csv.unread.empty()) read = std::move(csv);
  }
  if (!read.tables.empty()) {
    for (Table& table : read.tables)
      table.name = file + (table.name.empty() ? "" : ", " + table.name);
    return std::move(read.tables);
  }
  if (!read.unread.empty()) {
    throw UnreadTable(bad_data("'" + file + "': " + unread_text(read.unread.front().unread),
                               "whole counts of GPUs above 0, and numbers with one decimal sign "
                               "and a known unit, are expected")
                          .record());
  }
  const std::string seen = read.hidden            ? "its tables stand in comments or code blocks"
                           : read.headers.empty() ? "it holds no table"
                                                  : "these headers are there: " +
                                                        shortened(joined(read.headers, "; "), 200);
  throw NoTable(
      bad_data("'" + file + "' has no table of throughputs: " + seen,
               "a count of GPUs (GPUs, num_gpus, ...) and a throughput (images/sec, throughput, "
               "...), a time or a speed-up are expected")
          .record());
}

}  // namespace scalemark::tables
