#include "claims/rows/row.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "claims/rows/mapping.h"
#include "core/base/error.h"
#include "core/base/field.h"
#include "core/base/file_kind.h"
#include "core/base/record_json.h"
#include "core/base/strict_json.h"
#include "core/base/text.h"
#include "core/settings/config_file.h"

namespace scalemark::published {
namespace {

constexpr auto kMetrics = std::to_array<std::string_view>(
    {"", "throughput", "speedup", "efficiency", "step_s", "epoch_s", "time_to_train_s", "latency_s",
     "busbw_GBps", "algbw_GBps", "memory_bytes", "payload_bytes", "communication_cost_s"});
constexpr auto kDirections = std::to_array<std::string_view>({"", "about", "at_least", "at_most"});
constexpr auto kBackends = std::to_array<std::string_view>({"nccl", "gloo", "mpi"});

template <class T>
void refuse_unknown(const FieldJson& json, const std::string& where) {
  static const auto known = RecordKeys::of<T>();
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      throw bad_data(where + " has an unknown field '" + key + "'");
    }
  }
}

template <class T>
void refuse_unless_positive(const char* key, const std::optional<T>& value,
                            const std::string& where) {
  if (value && !(*value > 0)) {
    throw bad_data(where + ": " + key + " is " + FieldJson(*value).dump(), "a number above 0");
  }
}

void refuse_unless_in(const auto& words, std::string_view word, const char* key,
                      const std::string& where) {
  if (std::ranges::find(words, word) == words.end()) {
    std::vector<std::string_view> allowed;
    std::ranges::copy_if(words, std::back_inserter(allowed),
                         [](std::string_view one) { return !one.empty(); });
    throw bad_data(where + ": " + key + " is '" + std::string(word) + "'", joined(allowed, " | "));
  }
}

void check_throughput(const Row& row, const std::string& where) {
  // The framework is not required: one submission names none.
  const std::pair<const char*, const std::string*> texts[] = {{"system", &row.system},
                                                              {"workload", &row.workload},
                                                              {"precision", &row.precision},
                                                              {"unit", &row.unit}};
  for (const auto& [key, text] : texts) {
    if (text->empty()) throw bad_data(where + " has no '" + key + "'");
  }
  if (!row.gpus) throw bad_data(where + " has no 'gpus'");
}

void check_claim(const Row& row, const std::string& where) {
  const bool has_number = row.value || row.low || row.high;
  if (!has_number && row.direction.empty() && !row.untestable) {
    throw bad_data(where + " claims neither a number nor a direction");
  }
  if (row.value && (row.low || row.high)) throw bad_data(where + " has a value and a range");
  if (row.low && row.high && *row.low > *row.high) throw bad_data(where + " has low above high");
  if (!row.relative_to) return;
  const Relative& to = *row.relative_to;
  const bool names_option = to.option && to.from && to.to;
  if (to.row.has_value() == names_option || (to.row && (to.option || to.from || to.to))) {
    throw bad_data(where + ": relative_to names neither a row nor an option with from and to");
  }
}

void check(const Row& row, const std::string& where) {
  refuse_unless_positive("gpus", row.gpus, where);
  refuse_unless_positive("nodes", row.nodes, where);
  refuse_unless_positive("throughput", row.throughput, where);
  refuse_unless_in(kMetrics, row.metric, "metric", where);
  refuse_unless_in(kDirections, row.direction, "direction", where);
  if (row.backend) refuse_unless_in(kBackends, *row.backend, "backend", where);
  if (row.untestable)
    refuse_unless_in(names_of<Untestable>(), *row.untestable, "untestable", where);
  refuse_unless_positive("batch_per_gpu", row.batch_per_gpu, where);
  refuse_unless_positive("speedup_published", row.published_speedup, where);
  refuse_unless_positive("value", row.value, where);
  refuse_unless_positive("low", row.low, where);
  refuse_unless_positive("high", row.high, where);
  row.metric.empty() ? check_throughput(row, where) : check_claim(row, where);
}

Row read_row(const FieldJson& json, const std::string& where) {
  if (!json.is_object()) throw bad_data(where + " is no JSON object");
  refuse_unknown<Row>(json, where);
  if (const auto found = json.find("relative_to"); found != json.end() && found->is_object()) {
    refuse_unknown<Relative>(*found, where);
  }
  Row row = record_in<Row>(json, where.c_str());
  check(row, where);
  return row;
}

}  // namespace

std::vector<Row> parse_rows(std::string_view text, std::string_view origin) {
  std::vector<Row> rows;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::string where = std::string(origin) + ", line " + std::to_string(++number);
    if (nests_too_deep(line)) throw bad_data(where + " nests deeper than any row");
    const FieldJson json = FieldJson::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) throw bad_data(where + " is not JSON");
    rows.push_back(read_row(json, where));
  }
  return rows;
}

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const std::string& folder) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    std::error_code none;
    if (is_library_file(entry.path()) && entry.is_regular_file(none)) files.push_back(entry.path());
  }
  if (failure) throw no_input("'" + folder + "' cannot be read: " + failure.message());
  if (files.empty()) throw no_input("'" + folder + "' holds no published rows", "*.jsonl files");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool is_library_file(const fs::path& path) {
  return path.extension() == ".jsonl" && !is_hidden(path);
}

void order_by_id(std::vector<Row>& rows, const std::string& where) {
  std::ranges::sort(rows, {}, &Row::id);
  const auto twice = std::ranges::adjacent_find(rows, {}, &Row::id);
  if (twice != rows.end()) throw bad_data("two rows in " + where + " have the id " + twice->id);
}

std::vector<Row> own_library() {
  std::vector<Row> rows;
  for (const NamedText& file : library_files()) {
    std::ranges::move(parse_rows(file.text, file.name), std::back_inserter(rows));
  }
  order_by_id(rows, "the program");
  return rows;
}

std::vector<Row> read_library(const std::string& folder) {
  std::vector<Row> rows;
  for (const fs::path& file : files_of(folder)) {
    std::ranges::move(parse_rows(settings::read_text_file(file.string()), file.string()),
                      std::back_inserter(rows));
  }
  order_by_id(rows, "'" + folder + "'");
  return rows;
}

}  // namespace scalemark::published
