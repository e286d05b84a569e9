#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "claims/rows/gpu_counts.h"
#include "claims/rows/table_columns.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

// Reads the rows of one table by the meanings of its columns.
class Reader {
 public:
  explicit Reader(const TextTable& table) : table_(table), columns_(columns_of(table)) {
    find_labels();
    for (std::size_t c = 0; c < columns_.size(); ++c) rates_of_ratios_.push_back(rate_of_ratio(c));
  }

  // Returns a table without rows where none of its cells can be read.
  std::optional<Table> read() const {
    if (columns_.size() > kMostColumns || table_.rows.size() > kMostRows) return std::nullopt;
    const bool counts = has(ColumnKind::kGpus) || has(ColumnKind::kNodes) || counts_in_chips();
    const bool measures = std::ranges::any_of(columns_, [](const auto& one) {
      return is_rate_kind(one.kind) || is_time_kind(one.kind) || one.kind == ColumnKind::kSpeedup;
    });
    const bool mfu = has(ColumnKind::kMfu) && has(ColumnKind::kFlops);
    if (!counts || (!measures && !mfu)) return std::nullopt;
    Table read{.name = table_.name, .rows = {}};
    for (std::size_t i = 0; i < table_.rows.size(); ++i) add_rows(i, read.rows);
    mark_strong(read.rows);
    count_unread(read.unread);
    if (read.rows.empty() && read.unread.cells == 0) return std::nullopt;
    return read;
  }

 private:
  bool has(ColumnKind kind) const {
    return std::ranges::any_of(columns_, [&](const auto& one) { return one.kind == kind; });
  }

  const std::string& cell(std::size_t row, std::size_t column) const {
    return cell_of(table_, row, column);
  }

  Cell number(std::size_t row, std::size_t column) const { return number_of(table_, row, column); }

  void count_unread(Unread& unread) const {
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const ColumnKind kind = columns_[c].kind;
        const bool judged = is_measure(kind) || kind == ColumnKind::kGpus ||
                            kind == ColumnKind::kNodes || kind == ColumnKind::kGpusPerNode ||
                            kind == ColumnKind::kBatch || kind == ColumnKind::kBatchPerGpu ||
                            kind == ColumnKind::kGlobalBatch;
        const std::string& text = cell(r, c);
        if (!judged || !(has_number(text) || is_not_finite(text))) continue;
        unread.of++;
        if (fits(columns_[c], text, number(r, c))) continue;
        if (unread.cells++ > 0) continue;
        unread.place = table_.places[r];
        unread.text = text;
        unread.ambiguous = !table_.decimal.sure && decimal_evidence(text).maybe != 0;
      }
    }
  }

  // A blank cell of a network, a chip or a precision repeats the one above.
  const std::string& filled(std::size_t row, std::size_t column) const {
    const ColumnKind kind = columns_[column].kind;
    const bool inherits_above =
        kind == ColumnKind::kNetwork || kind == ColumnKind::kChip || kind == ColumnKind::kPrecision;
    while (inherits_above && row > 0 && cell(row, column).empty()) --row;
    return cell(row, column);
  }

  bool counts_in_chips() const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind != ColumnKind::kChip) continue;
      for (std::size_t r = 0; r < table_.rows.size(); ++r) {
        if (machines_in_count(cell(r, c))) return true;
      }
    }
    return false;
  }

  // A column whose text differs in every row names the rows, and does not separate series.
  void find_labels() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool text = columns_[c].kind == ColumnKind::kOther ||
                        (columns_[c].kind == ColumnKind::kChip &&
                         (has(ColumnKind::kGpus) || machines_in_count(cell(0, c))));
      std::set<std::string> seen;
      bool differ = text && table_.rows.size() > 1;
      for (std::size_t r = 0; differ && r < table_.rows.size(); ++r)
        differ = seen.insert(told_by(r, c)).second;
      labels_.push_back(differ);
    }
  }

  // Returns a cell without its count of GPUs.
  std::string told_by(std::size_t r, std::size_t c) const {
    const auto machines =
        columns_[c].kind == ColumnKind::kChip ? machines_in_count(cell(r, c)) : std::nullopt;
    return machines && machines->chip.empty() ? machines->rest : cell(r, c);
  }

  void add_rows(std::size_t r, std::vector<Row>& rows) const {
    const Row common = what_all_share(r);
    if (!common.gpus) return;
    bool rated = false;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!is_rate_kind(columns_[c].kind) || stands_beside_a_total(c)) continue;
      rated = true;
      const auto value = rate_in(r, c);
      if (!value || !(value->value > 0)) continue;
      Row row = common;
      row.unit = columns_[c].unit;
      row.column = column_label(columns_[c]);
      // "DDP images/s" and "FSDP images/s" belong to two series.
      row.series += joined(columns_[c].own_words, " ");
      if (!columns_[c].precisions.empty()) row.precision = columns_[c].precisions.front();
      add_times_of(r, row);
      (columns_[c].kind == ColumnKind::kRate && !is_of_one_gpu(r, c) ? row.rate
                                                                     : row.rate_per_gpu) = *value;
      if (const auto beside = per_gpu_beside(c)) row.rate_per_gpu = rate_in(r, *beside);
      if (row.unit == "it/s") put_steps(row);
      add_ratios(r, c, row);
      rows.push_back(std::move(row));
    }
    if (rated) return;
    Row row = common;
    add_ratios(r, columns_.size(), row);
    rows.push_back(std::move(row));
  }

  // Returns the rate per second in the unit of its header, or in its own.
  std::optional<Printed> rate_in(std::size_t r, std::size_t c) const {
    const Cell read = number(r, c);
    const auto rate = read.number(Unit::kRate);
    const double factor = columns_[c].factor;
    if (!rate || read.values[0].unit == Unit::kRate) return rate;
    // "18k" below "k img/s" is no 18 millions.
    if (factor >= 1e3 && rate->text.find_first_of("kMG") != std::string::npos) return rate;
    Printed whole = scaled(*rate, factor);
    if (factor == 1e3) whole.text += 'k';
    if (factor == 1e6) whole.text += 'M';
    return whole;
  }

  // "310 img/s/GPU" below "Throughput".
  bool is_of_one_gpu(std::size_t r, std::size_t c) const {
    const Cell read = number(r, c);
    return read.values[0].unit == Unit::kRate &&
           meaning_of(read.values[0].words).kind == ColumnKind::kRatePerGpu;
  }

  // In a table with rates in several precisions, "latency - TF32" belongs to one of them.
  bool is_time_of_a_precision(std::size_t c) const {
    return is_time_kind(columns_[c].kind) && columns_[c].precisions.size() == 1 &&
           (has(ColumnKind::kRate) || has(ColumnKind::kRatePerGpu));
  }

  void add_times_of(std::size_t r, Row& row) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (is_time_of_a_precision(c) && columns_[c].precisions.front() == row.precision)
        put_time(columns_[c], number(r, c), row);
    }
  }

  // Finds the column of rates per GPU that belongs to a column of totals.
  std::optional<std::size_t> per_gpu_beside(std::size_t total) const {
    if (columns_[total].kind != ColumnKind::kRate) return std::nullopt;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind == ColumnKind::kRatePerGpu &&
          columns_[c].precisions == columns_[total].precisions &&
          columns_[c].unit == columns_[total].unit &&
          columns_[c].own_words == columns_[total].own_words) {
        return c;
      }
    }
    return std::nullopt;
  }
  bool stands_beside_a_total(std::size_t column) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (per_gpu_beside(c) == column) return true;
    }
    return false;
  }

  void add_ratios(std::size_t r, std::size_t rate_column, Row& row) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const ColumnMeaning& column = columns_[c];
      const Cell read = number(r, c);
      if (column.kind == ColumnKind::kPrecisionRatio) {
        const auto value = read.values.empty() ? std::nullopt : std::optional(read.values[0]);
        if (value && column.precisions.size() >= 2 && column.precisions.back() == row.column) {
          row.ratios.push_back(
              {ratio_of(*value, column), column.precisions.front(), column.precisions.back()});
        }
        continue;
      }
      if (!is_ratio_kind(column.kind) ||
          (rate_column < columns_.size() && rates_of_ratios_[c] != rate_column))
        continue;
      put_ratios(column, read, row);
    }
  }

  // A speed-up belongs to the rates of its precision, or to the rates that share a word with it
  // ("DDP"), or else to the rate on its left.
  std::size_t rate_of_ratio(std::size_t ratio) const {
    const auto find = [&](auto fits) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (is_rate_kind(columns_[c].kind) && !stands_beside_a_total(c) && fits(columns_[c]))
          return c;
      }
      return columns_.size();
    };
    const ColumnMeaning& column = columns_[ratio];
    std::size_t found = columns_.size();
    if (!column.precisions.empty()) {
      found = find([&](const ColumnMeaning& one) {
        return one.precisions == std::vector{column.precisions.front()};
      });
    }
    if (found == columns_.size() && !column.own_words.empty())
      found = find([&](const ColumnMeaning& one) { return one.own_words == column.own_words; });
    if (found == columns_.size())
      found = find([&](const ColumnMeaning& one) { return share_a_word(one, column); });
    if (found < columns_.size() || !column.precisions.empty()) return found;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool rate = is_rate_kind(columns_[c].kind) && !stands_beside_a_total(c);
      if (rate && (c < ratio || found == columns_.size())) found = c;
    }
    return found;
  }

  Row what_all_share(std::size_t r) const {
    Row row{.id = table_.places[r]};
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const ColumnKind kind = columns_[c].kind;
      const bool counts =
          kind == ColumnKind::kGpus || kind == ColumnKind::kChip || kind == ColumnKind::kNodes;
      if (counts) {
        add_machines(c, filled(r, c), row);
      } else if (!labels_[c] && !is_time_of_a_precision(c)) {
        put_cell(columns_[c], filled(r, c), table_.decimal, row);
      }
    }
    if (has(ColumnKind::kParallel)) row.batch.reset();
    if (row.gpus || !row.nodes) return row;
    row.gpus = *row.nodes * row.gpus_per_node.value_or(1);
    row.counts_nodes = !row.gpus_per_node;
    return row;
  }

  // "8x A100" in either column gives both a count and a chip.
  void add_machines(std::size_t c, const std::string& text, Row& row) const {
    const bool chips = columns_[c].kind == ColumnKind::kChip;
    const auto machines = machines_in_count(text);
    const auto number = read_cell(text, table_.decimal).number(Unit::kOther);
    if (machines && (machines->gpus || chips || machines->rest.empty())) {
      if (machines->gpus && !row.gpus) row.gpus = machines->gpus;
      if (machines->nodes && !machines->gpus && !row.nodes) row.nodes = machines->nodes;
      if (!machines->chip.empty()) row.chip = machines->chip;
      if (!machines->rest.empty() && !labels_[c]) row.series += machines->rest + "; ";
    } else if (chips) {
      if (!labels_[c]) row.chip = text;
    } else if (number && is_count_of_machines(number->value)) {
      (columns_[c].kind == ColumnKind::kNodes ? row.nodes : row.gpus) = number->value;
    }
  }

  // A batch per GPU that falls while GPUs are added means strong scaling.
  static void mark_strong(std::vector<Row>& rows) {
    for (Row& row : rows) {
      const auto falls = [&](const Row& other) {
        return other.gpus && row.gpus && *other.gpus < *row.gpus && other.batch_per_gpu &&
               row.batch_per_gpu && other.batch && row.batch && *other.batch > *row.batch &&
               other.network == row.network && other.series == row.series;
      };
      row.strong = std::ranges::any_of(rows, falls);
    }
  }

  const TextTable& table_;
  std::vector<ColumnMeaning> columns_;
  std::vector<bool> labels_;
  std::vector<std::size_t> rates_of_ratios_;  // indexed by column; columns_.size(): no rate
};

}  // namespace

std::optional<Table> read_rows(const TextTable& table) { return Reader(table).read(); }

}  // namespace scalemark::tables
