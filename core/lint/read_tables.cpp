#include "core/lint/read_tables.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/base/text.h"
#include "core/lint/columns.h"
#include "core/lint/text_tables.h"

namespace scalemark::lint {
namespace {

// "8x A100 80GB" -> 8, "A100 80GB".
struct CountedChip {
  double count = 0;
  std::string chip;
};
std::optional<CountedChip> counted_chip(const std::string& cell) {
  std::size_t at = 0;
  while (at < cell.size() && std::isdigit(static_cast<unsigned char>(cell[at]))) ++at;
  if (at == 0 || at > 6) return std::nullopt;
  const double count = std::stod(cell.substr(0, at));
  std::string rest = trimmed(std::string_view(cell).substr(at));
  for (const std::string_view times : {"x", "X", "*", "\xC3\x97"}) {
    if (!rest.starts_with(times)) continue;
    rest = trimmed(std::string_view(rest).substr(times.size()));
    if (!rest.empty() && count > 0) return CountedChip{count, rest};
  }
  return std::nullopt;
}

// Reads the rows of one table by what its columns mean.
class Reader {
 public:
  explicit Reader(const TextTable& table) : table_(table) {
    for (const std::string& header : table.header) columns_.push_back(meaning_of(header));
    find_percents();
    find_precision_ratios();
  }

  std::optional<Table> read() const {
    const bool counts = has(ColumnKind::kGpus) || counts_in_chips();
    const bool measures = has(ColumnKind::kRate) || has(ColumnKind::kRatePerGpu) ||
                          has(ColumnKind::kStepTime) || has(ColumnKind::kTime) ||
                          has(ColumnKind::kEpochTime);
    if (!counts || !(measures || has(ColumnKind::kSpeedup))) return std::nullopt;
    Table read{.name = table_.name, .rows = {}};
    for (std::size_t i = 0; i < table_.rows.size(); ++i) add_rows(i, read.rows);
    mark_strong(read.rows);
    if (read.rows.empty()) return std::nullopt;
    return read;
  }

 private:
  bool has(ColumnKind kind) const {
    return std::ranges::any_of(columns_, [&](const auto& one) { return one.kind == kind; });
  }

  const std::string& cell(std::size_t row, std::size_t column) const {
    static const std::string kNone;
    const Cells& cells = table_.rows[row];
    return column < cells.size() ? cells[column] : kNone;
  }

  bool counts_in_chips() const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind != ColumnKind::kChip) continue;
      for (std::size_t r = 0; r < table_.rows.size(); ++r) {
        if (counted_chip(cell(r, c))) return true;
      }
    }
    return false;
  }

  // An efficiency above 1.5 is a per cent.
  void find_percents() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind != ColumnKind::kEfficiency) continue;
      bool percent = table_.header[c].find('%') != std::string::npos;
      for (std::size_t r = 0; r < table_.rows.size(); ++r) {
        const auto value = read_printed(cell(r, c));
        percent =
            percent || cell(r, c).find('%') != std::string::npos || (value && value->value > 1.5);
      }
      if (percent) columns_[c].factor = 0.01;
    }
  }

  // "amp speed-up" beside rates in fp32 and amp is that of a precision, unless it begins with 1.
  void find_precision_ratios() {
    std::vector<std::string> rated;
    for (const auto& column : columns_) {
      const bool rate = column.kind == ColumnKind::kRate || column.kind == ColumnKind::kRatePerGpu;
      if (rate && column.precisions.size() == 1) rated.push_back(column.precisions.front());
    }
    if (rated.size() < 2 || table_.rows.empty()) return;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind != ColumnKind::kSpeedup || columns_[c].precisions.size() > 1) continue;
      const auto first = read_printed(cell(0, c));
      if (!first || (first->low() <= 1 && first->high() >= 1)) continue;
      const std::string to =
          columns_[c].precisions.empty() ? rated.back() : columns_[c].precisions.front();
      const auto from =
          std::ranges::find_if(rated, [&](const std::string& one) { return one != to; });
      columns_[c].kind = ColumnKind::kPrecisionRatio;
      columns_[c].precisions = {*from, to};
    }
  }

  void add_rows(std::size_t r, std::vector<Row>& rows) const {
    const Row common = what_all_share(r);
    if (!common.gpus) return;
    std::size_t rates = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool total = columns_[c].kind == ColumnKind::kRate;
      if (!total && columns_[c].kind != ColumnKind::kRatePerGpu) continue;
      rates++;
      auto value = read_printed(cell(r, c));
      if (!value || !(value->value > 0)) continue;
      Row row = common;
      row.unit = columns_[c].unit;
      if (!columns_[c].precisions.empty()) row.precision = columns_[c].precisions.front();
      (total ? row.rate : row.rate_per_gpu) = *value;
      add_ratios(r, c, row);
      rows.push_back(std::move(row));
    }
    if (rates > 0) return;
    Row row = common;
    add_ratios(r, columns_.size(), row);
    rows.push_back(std::move(row));
  }

  // A speed-up belongs to the rates of its precision; one without a precision to the rate on its
  // left, or to the only one.
  void add_ratios(std::size_t r, std::size_t rate_column, Row& row) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const ColumnMeaning& column = columns_[c];
      const auto value = read_printed(cell(r, c));
      if (!value) continue;
      if (column.kind == ColumnKind::kPrecisionRatio) {
        if (column.precisions.size() >= 2 && column.precisions.back() == row.precision) {
          row.ratios.push_back({*value, column.precisions.front(), column.precisions.back()});
        }
        continue;
      }
      const bool speedup = column.kind == ColumnKind::kSpeedup,
                 efficiency = column.kind == ColumnKind::kEfficiency;
      if (!speedup && !efficiency) continue;
      const bool mine = column.precisions.empty() ? is_nearest_rate(rate_column, c)
                                                  : column.precisions.front() == row.precision;
      if (!mine) continue;
      (speedup ? row.speedup : row.efficiency) = scaled(*value, column.factor);
    }
  }

  bool is_nearest_rate(std::size_t rate_column, std::size_t ratio_column) const {
    if (rate_column == columns_.size()) return true;
    std::size_t nearest = columns_.size(), rates = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind != ColumnKind::kRate && columns_[c].kind != ColumnKind::kRatePerGpu)
        continue;
      rates++;
      if (c < ratio_column || nearest == columns_.size()) nearest = c;
    }
    return rates == 1 || nearest == rate_column;
  }

  Row what_all_share(std::size_t r) const {
    Row row{.id = "line " + std::to_string(table_.lines[r])};
    for (std::size_t c = 0; c < columns_.size() && c < table_.rows[r].size(); ++c)
      add_cell(columns_[c], cell(r, c), row);
    return row;
  }

  // "8x A100" in either column gives both.
  static void add_gpus(const ColumnMeaning& column, const std::string& text, Row& row) {
    if (const auto chips = counted_chip(text)) {
      if (!row.gpus) row.gpus = chips->count;
      row.chip = chips->chip;
    } else if (column.kind == ColumnKind::kChip) {
      row.chip = text;
    } else if (const auto number = read_printed(text); number && number->value > 0) {
      row.gpus = number->value;
    }
  }

  // Columns whose cells are words, or numbers that only tell series apart.
  static bool add_word(const ColumnMeaning& column, const std::string& text, Row& row) {
    const auto number = read_printed(text);
    switch (column.kind) {
      case ColumnKind::kNetwork:
        row.network = text;
        return true;
      case ColumnKind::kPrecision: {
        const auto known = precisions_in(text);
        row.precision = known.empty() ? text : known.front();
        return true;
      }
      case ColumnKind::kSequence:
        if (number) row.sequence_length = static_cast<std::int64_t>(number->value);
        row.series += text + "; ";
        return true;
      case ColumnKind::kOther:
        if (!number) row.series += text + "; ";
        return true;
      default:
        return false;
    }
  }

  static void add_number(const ColumnMeaning& column, const Printed& number, Row& row) {
    switch (column.kind) {
      case ColumnKind::kBatch:
      case ColumnKind::kBatchPerGpu:
        row.batch_per_gpu = column.kind == ColumnKind::kBatchPerGpu;
        row.batch = number.value;
        return;
      case ColumnKind::kGlobalBatch:
        row.global_batch = number.value;
        return;
      case ColumnKind::kAccumulation:
        row.accumulation = number.value;
        return;
      case ColumnKind::kStepTime:
        row.step_s = scaled(number, column.factor);
        return;
      case ColumnKind::kTime:
      case ColumnKind::kEpochTime:
        row.time_is_of_an_epoch = column.kind == ColumnKind::kEpochTime;
        row.time_s = scaled(number, column.factor);
        return;
      case ColumnKind::kSamples:
        row.samples = number;
        return;
      default:
        return;
    }
  }

  static void add_cell(const ColumnMeaning& column, const std::string& text, Row& row) {
    if (column.kind == ColumnKind::kGpus || column.kind == ColumnKind::kChip) {
      add_gpus(column, text, row);
      return;
    }
    if (add_word(column, text, row)) return;
    const auto number = read_printed(text);
    if (number && number->value > 0) add_number(column, *number, row);
  }

  // A batch per GPU that falls while GPUs are added: strong scaling.
  static void mark_strong(std::vector<Row>& rows) {
    for (Row& row : rows) {
      const auto falls = [&](const Row& other) {
        return other.gpus && row.gpus && *other.gpus < *row.gpus && other.batch_per_gpu &&
               row.batch_per_gpu && other.batch && row.batch && *other.batch > *row.batch;
      };
      row.strong = std::ranges::any_of(rows, falls);
    }
  }

  const TextTable& table_;
  std::vector<ColumnMeaning> columns_;
};

TablesRead read_all(const std::vector<TextTable>& tables) {
  TablesRead read;
  for (const TextTable& table : tables) {
    if (auto one = Reader(table).read()) {
      read.tables.push_back(std::move(*one));
    } else {
      read.headers.push_back(joined(table.header, " | "));
    }
  }
  return read;
}

}  // namespace

TablesRead read_markdown(std::string_view text) { return read_all(pipe_tables(text)); }

TablesRead read_csv(std::string_view text) { return read_all({csv_table(text)}); }

}  // namespace scalemark::lint
