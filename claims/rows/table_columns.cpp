#include "claims/rows/table_columns.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "claims/rows/columns.h"
#include "claims/rows/gpu_counts.h"
#include "claims/rows/table.h"
#include "claims/rows/text_tables.h"

namespace scalemark::tables {
namespace {

// A "scaling" in per cent is an efficiency, and an efficiency above 1.5 is a per cent.
void find_percents(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    ColumnMeaning& column = columns[c];
    bool percent = table.header[c].find('%') != std::string::npos, large = false, grows = false;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const auto value = read_printed(cell_of(table, r, c));
      percent = percent || cell_of(table, r, c).find('%') != std::string::npos;
      large = large || (value && value->value > 1.5);
      grows = grows || (value && value->value >= 150);  // no efficiency reaches 150 %
    }
    if (column.kind == ColumnKind::kPrecisionRatio && percent && grows) column.factor = 0.01;
    if (column.kind == ColumnKind::kSpeedup && percent) column.kind = ColumnKind::kEfficiency;
    const bool share = column.kind == ColumnKind::kEfficiency || column.kind == ColumnKind::kMfu;
    if (share && (percent || large)) column.factor = 0.01;
    // "393 %" on four GPUs is a speed-up.
    if (column.kind == ColumnKind::kEfficiency && grows) column.kind = ColumnKind::kSpeedup;
  }
}

// Whether the row with the fewest GPUs prints 1, as the base of speed-ups does. True without such a
// row.
bool begins_at_one(const TextTable& table, const std::vector<ColumnMeaning>& columns,
                   std::size_t c) {
  const auto gpus = std::ranges::find(columns, ColumnKind::kGpus, &ColumnMeaning::kind);
  const auto count_at = [&](std::size_t r) {
    const auto count =
        gpus == columns.end()
            ? std::nullopt
            : read_printed(cell_of(table, r, static_cast<std::size_t>(gpus - columns.begin())));
    return count ? count->value : 1e9;
  };
  std::size_t fewest = 0;
  for (std::size_t r = 1; r < table.rows.size(); ++r) {
    if (count_at(r) < count_at(fewest)) fewest = r;
  }
  const auto first = read_printed(cell_of(table, fewest, c));
  return !first || std::fabs(first->value * columns[c].factor - 1) < 1e-9;
}

// A speed-up beside times in two precisions compares the precisions, unless it begins with 1.
void drop_ratios_of_times(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  std::set<std::vector<std::string>> timed;
  for (const ColumnMeaning& one : columns) {
    if (is_time_kind(one.kind)) timed.insert(one.precisions);
  }
  if (timed.size() < 2 || table.rows.empty()) return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].kind == ColumnKind::kSpeedup && !begins_at_one(table, columns, c))
      columns[c].kind = ColumnKind::kOther;
  }
}

// "amp speed-up" beside rates in fp32 and amp compares the precisions, unless it begins with 1.
void find_precision_ratios(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  std::vector<std::string> rated;
  for (const auto& column : columns) {
    if (is_rate_kind(column.kind) && column.precisions.size() == 1)
      rated.push_back(column.precisions.front());
  }
  if (rated.size() < 2) drop_ratios_of_times(table, columns);
  if (rated.size() < 2 || table.rows.empty()) return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].kind != ColumnKind::kSpeedup || columns[c].precisions.size() > 1) continue;
    if (begins_at_one(table, columns, c)) continue;
    const std::string to =
        columns[c].precisions.empty() ? rated.back() : columns[c].precisions.front();
    const auto from =
        std::ranges::find_if(rated, [&](const std::string& one) { return one != to; });
    if (from == rated.end()) continue;
    columns[c].kind = ColumnKind::kPrecisionRatio;
    columns[c].precisions = {*from, to};
  }
}

bool counts_machines(const TextTable& table, std::size_t column) {
  std::size_t counts = 0;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string& text = cell_of(table, r, column);
    if (text.empty()) continue;
    if (!machines_in(text)) return false;
    counts++;
  }
  return counts > 1;
}

void find_setups(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  const auto is_count = [](const ColumnMeaning& one) { return one.kind == ColumnKind::kGpus; };
  if (std::ranges::any_of(columns, is_count)) return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].kind != ColumnKind::kOther || !counts_machines(table, c)) continue;
    columns[c].kind = ColumnKind::kChip;
    return;
  }
}

}  // namespace

std::vector<ColumnMeaning> columns_of(const TextTable& table) {
  std::vector<ColumnMeaning> columns;
  for (const std::string& header : table.header) {
    columns.push_back(meaning_of(header));
    ColumnKind& kind = columns.back().kind;
    const bool counts =
        kind == ColumnKind::kGpus || kind == ColumnKind::kNodes || kind == ColumnKind::kChip;
    // A column "8 GPUs" holds results on 8 GPUs, not counts (wide_tables.h).
    if (counts && machines_in(header)) kind = ColumnKind::kOther;
  }
  find_percents(table, columns);
  find_precision_ratios(table, columns);
  find_setups(table, columns);
  return columns;
}

Unit unit_of(const std::string& cell) {
  const auto number = read_printed(cell);
  if (!number) return Unit::kOther;
  const std::string digits = number->text.substr(0, number->text.find_first_of("kM"));
  const std::size_t at = cell.find(digits);
  std::string rest = cell.substr(at == std::string::npos ? 0 : at + digits.size());
  if (rest.starts_with('k') || rest.starts_with('K') || number->text.ends_with('M'))
    rest.erase(0, 1);
  rest = trimmed(rest);
  if (is_rate_kind(meaning_of(rest).kind)) return Unit::kRate;
  if (rest.starts_with('x') || rest.starts_with('X') || rest.starts_with("\xC3\x97"))
    return Unit::kTimes;
  const auto plain = read_duration(cell, 1), other = read_duration(cell, 3600);
  if (plain && other && plain->value == other->value && plain->value > 0) return Unit::kTime;
  const bool letters = std::ranges::any_of(
      rest.substr(0, 6), [](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
  const bool bare = rest.find_first_not_of("*_`)]}~") == std::string::npos ||
                    rest.starts_with('(') || rest.starts_with('/');
  return bare && !rest.starts_with('%')     ? Unit::kNone
         : letters || rest.starts_with('%') ? Unit::kOther
                                            : Unit::kNone;
}

}  // namespace scalemark::tables
