#include "claims/import/tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "claims/import/log.h"
#include "claims/import/log_text.h"
#include "claims/rows/table_files.h"
#include "claims/rows/text_tables.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/number_words.h"

namespace scalemark::importing {
namespace {

using published::Row;

constexpr std::size_t kMostTableRows = 100'000;

std::string ending_of(const std::string& path) {
  return lower_case(std::filesystem::path(path).extension().string());
}

double without_noise(double value) { return rounded_to(value, 9); }

// Lint's reader reads tables that somebody printed.

std::optional<double> positive(const std::optional<tables::Printed>& number) {
  const bool usable = number && std::isfinite(number->value) && number->value > 0;
  return usable ? std::optional(number->value) : std::nullopt;
}

// Keeps the printed text where its digits matter: "758.90", "3,100".
void keep_printed(const char* field, const tables::Printed& number, Row& row) {
  if (number.text != significant(number.value, 15)) row.printed[field] = number.text;
}

void add_note(Row& row, const std::string& text) {
  row.note = row.note ? *row.note + "; " + text : text;
}

// For a table without a rate the row claims a time, else a ratio.
bool set_other_metric(const tables::Row& from, Row& row) {
  const std::pair<const char*, const std::optional<tables::Printed>*> metrics[] = {
      {"step_s", &from.step_s},
      {from.time_is_of_an_epoch ? "epoch_s" : "time_to_train_s", &from.time_s},
      {"speedup", &from.speedup},
      {"efficiency", &from.efficiency}};
  for (const auto& [name, number] : metrics) {
    if (!positive(*number)) continue;
    row.metric = name;
    row.value = without_noise((*number)->value);
    keep_printed("value", **number, row);
    return true;
  }
  return false;
}

// How many times as fast as the first row of its series a row without a rate is, and by what.
struct SpeedUp {
  double value = 1;
  std::string source;  // empty: it is printed
};

std::optional<double> samples_of_step(const tables::Row& row) {
  if (row.global_batch) return row.global_batch;
  if (!row.batch || !row.batch_per_gpu) return std::nullopt;
  return *row.batch * *row.gpus * row.accumulation.value_or(1);
}

// A time of an epoch or of the whole training is of the same work on each count of GPUs; a step is
// of as much work as its batch.
std::optional<SpeedUp> speedup_over(const tables::Row& base, const tables::Row& row) {
  const std::string counts = significant(*base.gpus, 9) + " to " + significant(*row.gpus, 9);
  if (const auto printed = positive(row.speedup)) {
    const double first = positive(base.speedup).value_or(1);
    return SpeedUp{*printed / first, first == 1 ? "" : "ratio of the printed ones on " + counts};
  }
  const auto before = positive(base.time_s), after = positive(row.time_s);
  if (before && after) return SpeedUp{*before / *after, "ratio of the times on " + counts};
  const auto step_before = positive(base.step_s), step_after = positive(row.step_s);
  const auto samples_before = samples_of_step(base), samples_after = samples_of_step(row);
  if (step_before && step_after && samples_before && samples_after) {
    return SpeedUp{*samples_after / *step_after / (*samples_before / *step_before),
                   "ratio of batch / step time on " + counts};
  }
  const auto efficiency = positive(row.efficiency);
  if (!efficiency) return std::nullopt;
  // An empty cell of the first count stands for 1, or for 100 where cells are per cents.
  const double first = positive(base.efficiency).value_or(*efficiency > 3 ? 100 : 1);
  return SpeedUp{*efficiency * *row.gpus / (first * *base.gpus),
                 "efficiency " + row.efficiency->text + " on " + counts};
}

using SpeedUps = std::map<const tables::Row*, SpeedUp>;

SpeedUps speedups_in(const tables::Table& table) {
  SpeedUps all;
  for (const tables::Series& series : tables::series_of(table)) {
    const tables::Row& base = *series.front();
    if (series.size() < 2 || !(*base.gpus > 0)) continue;
    for (const tables::Row* row : series) {
      const auto found = row == &base ? SpeedUp{} : speedup_over(base, *row);
      if (found && std::isfinite(found->value) && found->value > 0) all[row] = *found;
    }
  }
  return all;
}

void set_speedup(const tables::Row& from, const SpeedUps& all, Row& row) {
  const auto found = all.find(&from);
  if (found == all.end()) return;
  row.published_speedup = without_noise(found->second.value);
  if (!found->second.source.empty()) add_note(row, "speed-up: " + found->second.source);
}

void set_rate(const tables::Row& from, Row& row) {
  const bool total = positive(from.rate).has_value();
  const tables::Printed& rate = total ? *from.rate : *from.rate_per_gpu;
  row.throughput = without_noise(rate.value * (total ? 1 : static_cast<double>(*row.gpus)));
  row.unit = from.unit;
  keep_printed("throughput", rate, row);
  if (!total) row.counts = "rate of one GPU x " + std::to_string(*row.gpus);
  if (positive(from.speedup)) {
    row.published_speedup = from.speedup->value;
    keep_printed("speedup_published", *from.speedup, row);
  }
  if (positive(from.efficiency)) add_note(row, "printed efficiency: " + from.efficiency->text);
}

void set_batch(const tables::Row& from, Row& row) {
  row.gradient_accumulation_steps = count_of(from.accumulation);
  row.global_batch_size = count_of(from.global_batch);
  if (!from.batch || !(*from.batch > 0)) return;
  if (from.batch_per_gpu)
    row.batch_per_gpu = *from.batch;
  else
    add_note(row, "batch " + significant(*from.batch, 9) +
                      ": the table does not say whether of a GPU or of all");
}

std::optional<Row> row_of_line(const tables::Row& from, const SpeedUps& speedups,
                               const std::string& file) {
  Row row;
  row.repo = "import";
  row.path = file;
  const auto count = count_of(from.gpus);
  if (!count || *count > 10'000'000) return std::nullopt;
  if (!from.counts_nodes) row.gpus = count;
  row.line = count_of(number_after(from.id, "line "));
  row.nodes = count_of(from.nodes);
  row.system = from.chip;  // it has no count, since the rows of a series have one system
  row.workload = from.network;
  row.precision = from.precision;
  row.sequence_length = from.sequence_length;
  if (row.sequence_length && *row.sequence_length < 1) row.sequence_length.reset();
  std::string series = from.series;
  while (series.ends_with(' ') || series.ends_with(';')) series.pop_back();
  if (!series.empty()) row.scaling_label = series;
  set_batch(from, row);
  if (positive(from.rate) || (positive(from.rate_per_gpu) && row.gpus))
    set_rate(from, row);
  else if (set_other_metric(from, row))
    set_speedup(from, speedups, row);
  else
    return std::nullopt;
  return row;
}

std::vector<Row> rows_of_table(const tables::Table& table, const std::string& file) {
  const SpeedUps speedups = speedups_in(table);
  const std::string name = std::filesystem::path(file).filename().string();
  std::vector<Row> rows;
  for (const tables::Row& line : table.rows) {
    if (auto row = row_of_line(line, speedups, name)) rows.push_back(std::move(*row));
  }
  return rows;
}

// timm's benchmark of one GPU has a line for each network.

constexpr const char* kTimmRate = "train_samples_per_sec";

std::optional<std::size_t> column_of(const tables::TextTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.header, name);
  if (found == table.header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.header.begin());
}

std::vector<Row> timm_rows(const tables::TextTable& table, const std::string& file) {
  std::vector<Row> rows;
  for (std::size_t r = 0; r < table.rows.size() && rows.size() < kMostTableRows; ++r) {
    const auto cell = [&](std::string_view name) {
      const auto column = column_of(table, name);
      return column && *column < table.rows[r].size() ? table.rows[r][*column] : std::string();
    };
    const auto rate = number_at(cell(kTimmRate));
    if (!rate || !(*rate > 0) || cell("model").empty()) continue;
    Row row;
    row.repo = "import";
    row.path = file;
    row.line = count_of(number_after(table.places[r], "line "));
    row.framework = "timm";
    row.workload = cell("model");
    row.gpus = 1;
    row.nodes = 1;
    row.unit = "img/s";
    row.throughput = *rate;
    if (const auto batch = count_of(number_at(cell("train_batch_size"))))
      row.batch_per_gpu = static_cast<double>(*batch);
    if (const auto size = count_of(number_at(cell("train_img_size"))))
      row.conditions["image_size"] = std::to_string(*size);
    row.counts = std::string(kTimmRate) + " of timm's benchmark, on one GPU";
    rows.push_back(std::move(row));
  }
  return rows;
}

// Makes rates of one GPU rates of all GPUs, where the count is known.
void multiply_by_gpus(std::vector<Row>& rows) {
  for (Row& row : rows) {
    if (!row.gpus || !row.throughput) continue;
    row.printed["throughput"] = significant(*row.throughput, 9);
    row.throughput = without_noise(*row.throughput * static_cast<double>(*row.gpus));
    row.counts = "rate of one GPU x " + std::to_string(*row.gpus);
  }
}

bool looks_like_ours(std::string_view text) {
  const std::string first = tables::trimmed(text.substr(0, text.find('\n')));
  const auto object = json_object(first);
  return object && object->contains("id") && object->contains("group");
}

TableFile printed_rows(std::string_view text, const TableRequest& request) {
  TableFile read{.form = "table", .rows = {}};
  const auto tables = tables::read_tables(text, request.file);
  for (const tables::Table& table : tables) {
    if (table.unread.cells > 0 && !request.allow_unread)
      throw bad_data("'" + request.file + "': " + tables::unread_text(table.unread),
                     "one number with a known unit is expected in each cell",
                     "--allow-unread takes the other cells");
    std::string group = request.group;
    // The heading above a table distinguishes it from the file's others.
    if (tables.size() > 1 && table.name.size() > request.file.size() + 2)
      group += "/" + table.name.substr(request.file.size() + 2);
    for (Row& row : rows_of_table(table, request.file)) {
      row.group = group;
      read.rows.push_back(std::move(row));
    }
  }
  if (read.rows.empty())
    throw bad_data("'" + request.file + "' has a table without a usable row",
                   "whole counts of GPUs, and throughputs above 0, are expected");
  return read;
}

TableFile read_any(std::string_view text, const TableRequest& request) {
  const std::string ending = ending_of(request.file);
  const std::string name = std::filesystem::path(request.file).filename().string();
  if (ending == ".csv" || ending == ".tsv") {
    const tables::TextTable table =
        tables::csv_table(tables::with_plain_ends(text), ending == ".tsv");
    if (column_of(table, kTimmRate) && column_of(table, "model"))
      return {"timm benchmark", timm_rows(table, name)};
  }
  if (ending == ".json" || ending == ".jsonl") {
    if (ending == ".jsonl" && looks_like_ours(text))
      return {"rows", published::parse_rows(text, request.file)};
    if (auto read = read_superbench(text, name)) return *std::move(read);
    throw tables::NoTable(
        bad_data("'" + request.file + "' holds no rows that are known here",
                 "rows as in results/published, or SuperBench's results-summary.jsonl or "
                 "baseline.json with train_throughput, are expected")
            .record());
  }
  return printed_rows(text, request);
}

// A table may hold several precisions: the one that is given is for rows that name none.
void fill_rows(std::vector<Row>& rows, const GivenFields& given, const std::string& where,
               bool printed_table) {
  if (printed_table && given.text("gpus", 0)) refuse_unsized_nodes(rows, where);
  const auto precision = given.text("precision", 0);
  const auto takes = [&](const Row& row) {
    return !precision || row.precision.empty() ||
           can_both_be("precision", row.precision, *precision);
  };
  const bool some_take = std::ranges::any_of(rows, takes);
  const GivenFields others = given.without("precision");
  for (Row& row : rows) {
    // Under a header without a unit, samples may be of any kind.
    if (printed_table && given.text("unit", 0) && row.unit == "samples/s") row.unit.clear();
    const std::string place = where + (row.line ? " line " + std::to_string(*row.line) : "");
    (some_take && !takes(row) ? others : given).fill(row, 0, place);
    refuse_other_batch(row, place);
  }
}

}  // namespace

std::string form_of_table(std::string_view text, const std::string& file) {
  return read_any(text, {.file = file, .group = "x", .named = false, .allow_unread = true}).form;
}

bool is_table_file(const std::string& path) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {".jsonl", ".json", ".csv", ".tsv", ".md", ".markdown", ".txt", ".html", ".htm"});
  return std::ranges::find(kEndings, ending_of(path)) != kEndings.end();
}

std::vector<Row> rows_of_tables(std::span<const tables::Table> tables, const std::string& file,
                                const GivenFields& given) {
  std::vector<Row> rows;
  for (const tables::Table& table : tables) {
    std::ranges::move(rows_of_table(table, file), std::back_inserter(rows));
  }
  fill_rows(rows, given, "'" + file + "'", /*printed_table=*/true);
  return rows;
}

TableFile read_table_file(std::string_view text, const TableRequest& request,
                          const GivenFields& given) {
  const std::string where = "'" + request.file + "'";
  TableFile read;
  try {
    read = read_any(text, request);
  } catch (const tables::NoTable&) {
    throw unread_file(text, request.file);
  }
  if (read.rows.empty()) throw bad_data(where + " holds no row");
  fill_rows(read.rows, given, where, read.form == "table");
  if (read.form == "table") refuse_unsized_nodes(read.rows, where);
  refuse_incomplete(read.rows, where);
  if (read.form.starts_with("SuperBench")) multiply_by_gpus(read.rows);
  const bool ours = read.form == "rows";
  for (std::size_t i = 0; i < read.rows.size(); ++i) {
    Row& row = read.rows[i];
    if (row.group.empty() || (ours && request.named)) row.group = request.group;
    if (!ours) row.id = row_id(request.group, i + 1);
  }
  return read;
}

}  // namespace scalemark::importing
