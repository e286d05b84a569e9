#include "claims/rows/table_columns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "claims/rows/columns.h"
#include "claims/rows/gpu_counts.h"
#include "claims/rows/text_tables.h"
#include "core/base/characters.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

constexpr double kNearRatio =
    1.3;  // a ratio that is so near to that of its cells is meant to be it
constexpr double kSameRatio = 0.02;  // a ratio that is so near, as a share, is surely it

bool is_share(ColumnKind kind) {
  return kind == ColumnKind::kEfficiency || kind == ColumnKind::kMfu;
}

// A "scaling" in per cent is an efficiency, and an efficiency above 1.5 is a per cent. "+95 %" is a
// speed-up of 1.95.
void find_percents(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    ColumnMeaning& column = columns[c];
    bool percent = table.header[c].find('%') != std::string::npos;
    bool large = false, grows = false, gains = false, factors = false;
    double most = 0;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Cell cell = number_of(table, r, c);
      if (cell.values.empty()) continue;
      const Value& value = cell.values[0];
      percent = percent || value.unit == Unit::kPercent;
      factors = factors || value.unit == Unit::kTimes;
      gains = gains || value.gain;
      most = std::max(most, value.number.value);
      large = large || value.number.value > 1.5;
      grows = grows || value.number.value >= 150;  // no efficiency reaches 150 %
    }
    if (column.kind == ColumnKind::kPrecisionRatio && percent && grows) column.factor = 0.01;
    const bool gain = percent && !factors && (gains || column.gain);
    // Without per cents, "faster" says nothing that could be judged.
    if (column.gain && !gain && !factors) column.kind = ColumnKind::kOther;
    column.gain = column.kind == ColumnKind::kSpeedup && gain;
    if (column.gain) continue;
    // A "scaling" that never exceeds 1 is an efficiency.
    const bool shares =
        most <= 1 && most > 0 && lower_case(table.header[c]).find("scal") != std::string::npos;
    if (column.kind == ColumnKind::kSpeedup && (percent || shares) && !factors)
      column.kind = ColumnKind::kEfficiency;
    if (is_share(column.kind) && (percent || large)) column.factor = 0.01;
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
    const auto column = static_cast<std::size_t>(gpus - columns.begin());
    const auto count =
        gpus == columns.end() ? std::nullopt : number_of(table, r, column).number(Unit::kOther);
    return count && is_count_of_machines(count->value) ? count->value : 1e9;
  };
  std::size_t fewest = 0;
  for (std::size_t r = 1; r < table.rows.size(); ++r) {
    if (count_at(r) < count_at(fewest)) fewest = r;
  }
  const Cell first = number_of(table, fewest, c);
  if (first.values.empty()) return true;
  const Value& value = first.values[0];
  const double factor = value.unit == Unit::kPercent ? 0.01 : columns[c].factor;
  const double base = columns[c].gain ? 0 : 1;
  return std::fabs(value.number.value * factor - base) < 1e-9;
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

// The only speed-up beside "V100 images/s" and "A100 images/s" compares these, unless it begins
// with 1 and is not their ratio in most rows; beside more of them nothing says what it compares.
void find_word_ratios(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  std::vector<std::string> words;
  std::vector<std::size_t> rates, ratios;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].kind == ColumnKind::kRate) {
      words.push_back(column_label(columns[c]));
      rates.push_back(c);
    }
    if (columns[c].kind == ColumnKind::kSpeedup) ratios.push_back(c);
  }
  const std::set<std::string> different(words.begin(), words.end());
  if (words.size() < 2 || different.size() != words.size() || ratios.size() != 1) return;
  ColumnMeaning& ratio = columns[ratios[0]];
  const auto shares = [&](const ColumnMeaning& one) {
    return one.kind == ColumnKind::kRate && share_a_word(one, ratio);
  };
  const bool over_gpus =
      std::ranges::any_of(columns, shares) || begins_at_one(table, columns, ratios[0]);
  std::size_t near = 0, same = 0, all = 0;
  bool tells = false;  // where both are 1, the ratio may be of either kind
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto a = number_of(table, r, rates[0]).number(Unit::kRate),
               b = number_of(table, r, rates[1]).number(Unit::kRate);
    const Cell cell = number_of(table, r, ratios[0]);
    if (!a || !b || cell.values.empty()) continue;
    const double printed = std::log(ratio_of(cell.values[0], ratio).value);
    const double of_cells = std::log(a->value / b->value);
    const double by = std::min(std::fabs(printed + of_cells), std::fabs(printed - of_cells));
    near += by < std::log(kNearRatio) ? 1 : 0;
    same += by < kSameRatio ? 1 : 0;
    tells = tells || (by < kSameRatio && std::fabs(printed) > kSameRatio);
    all++;
  }
  // Speed-ups over GPUs may begin above 1.
  if (over_gpus ? !tells || 2 * same <= all : 2 * near < all) return;
  ratio.kind = words.size() == 2 ? ColumnKind::kPrecisionRatio : ColumnKind::kOther;
  ratio.precisions = words;
}

// "amp speed-up" beside rates in fp32 and amp compares the precisions, unless it begins with 1.
void find_precision_ratios(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  std::vector<std::string> rated;
  for (const auto& column : columns) {
    if (is_rate_kind(column.kind) && column.precisions.size() == 1)
      rated.push_back(column.precisions.front());
  }
  if (rated.size() < 2) {
    drop_ratios_of_times(table, columns);
    find_word_ratios(table, columns);
  }
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

bool has_other_letters(const std::string& header) {
  return std::ranges::any_of(header, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// Returns the unit that all cells with a unit share: "310 img/s" below "Throughput".
std::string unit_in_cells(const TextTable& table, std::size_t c) {
  std::set<std::string> units;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const Cell cell = number_of(table, r, c);
    if (cell.values.empty() || cell.values[0].unit != Unit::kRate) continue;
    units.insert(meaning_of(cell.values[0].words).unit);
  }
  return units.size() == 1 && !units.begin()->empty() ? *units.begin() : "samples/s";
}

// Gives a column whose header says nothing the meaning of the unit that most of its cells have.
// A "relative throughput" that begins with 1 is a speed-up. Headers in other scripts may also name
// counts of GPUs and speed-ups.
void find_units(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    ColumnMeaning& column = columns[c];
    if (column.unit == "samples/s") column.unit = unit_in_cells(table, c);
    const bool other = has_other_letters(table.header[c]);
    const bool relative = column.kind == ColumnKind::kRate &&
                          table.header[c].find('/') == std::string::npos &&
                          has_any(lower_case(table.header[c]), {"scaling", "relative", "normali"});
    if (relative && !number_of(table, 0, c).values.empty() && begins_at_one(table, columns, c))
      column.kind = ColumnKind::kSpeedup;
    if (column.kind != ColumnKind::kOther && !(other && column.kind == ColumnKind::kChip)) continue;
    std::size_t filled = 0, rates = 0, factors = 0, counts = 0;
    std::string words;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      filled += cell_of(table, r, c).empty() ? 0 : 1;
      const Cell cell = number_of(table, r, c);
      if (cell.values.empty()) continue;
      const Unit unit = cell.values[0].unit;
      rates += unit == Unit::kRate;
      factors += unit == Unit::kTimes;
      counts += unit == Unit::kNone && cell.values[0].number.unit == 1;
      if (unit == Unit::kRate) words = cell.values[0].words;
    }
    if (2 * rates > filled) {
      const ColumnMeaning unit = meaning_of(words);
      column.kind = unit.kind;
      column.unit = unit.unit;
    } else if (other && filled > 0 && counts == filled && column.kind == ColumnKind::kChip) {
      column.kind = ColumnKind::kGpus;
    } else if (other && 2 * factors > filled && begins_at_one(table, columns, c)) {
      column.kind = ColumnKind::kSpeedup;
    }
  }
  // A "Throughput per GPU" has the unit of the totals beside it.
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto tells = [&](const ColumnMeaning& one) {
      return is_rate_kind(one.kind) && one.kind != columns[c].kind && one.unit != "it/s";
    };
    const auto other = std::ranges::find_if(columns, tells);
    if (is_rate_kind(columns[c].kind) && columns[c].unit == "samples/s" && other != columns.end() &&
        !has_any(lower_case(table.header[c]), {"/", "sample"}))
      columns[c].unit = other->unit;
  }
}

// Workers beside GPUs or nodes may be those that load data, and an instance may be named.
void find_machines(const TextTable& table, std::vector<ColumnMeaning>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].kind != ColumnKind::kNodes) continue;
    const std::string header = lower_case(table.header[c]);
    const auto counts = [&](const ColumnMeaning& one) {
      return &one != &columns[c] &&
             (one.kind == ColumnKind::kGpus || one.kind == ColumnKind::kNodes);
    };
    if (has_any(header, {"worker"}) && std::ranges::any_of(columns, counts))
      columns[c].kind = ColumnKind::kOther;
    if (has_any(header, {"instance"}) && number_of(table, 0, c).values.empty())
      columns[c].kind = ColumnKind::kChip;
  }
}

// Steps per second beside samples per second say the same again.
void drop_rates_of_steps(std::vector<ColumnMeaning>& columns) {
  for (ColumnMeaning& column : columns) {
    const auto counts_samples = [&](const ColumnMeaning& one) {
      return is_rate_kind(one.kind) && one.unit != "it/s" &&
             column_label(one) == column_label(column);
    };
    if (is_rate_kind(column.kind) && column.unit == "it/s" &&
        std::ranges::any_of(columns, counts_samples))
      column.kind = ColumnKind::kOther;
  }
}

}  // namespace

std::string column_label(const ColumnMeaning& column) {
  return column.precisions.empty() ? joined(column.own_words, " ") : column.precisions.front();
}

std::vector<ColumnMeaning> columns_of(const TextTable& table) {
  std::vector<ColumnMeaning> columns;
  std::map<std::string, int> seen;
  for (const std::string& header : table.header) {
    columns.push_back(meaning_of(header));
    ColumnKind& kind = columns.back().kind;
    const bool counts =
        kind == ColumnKind::kGpus || kind == ColumnKind::kNodes || kind == ColumnKind::kChip;
    // A column "8 GPUs" holds results on 8 GPUs, not counts (wide_tables.h).
    if (counts && machines_in(header)) kind = ColumnKind::kOther;
    // The same header again begins another series.
    const int times = ++seen[header];
    if (times > 1 && is_measure(kind)) columns.back().own_words.push_back(std::to_string(times));
  }
  find_machines(table, columns);
  find_units(table, columns);
  drop_rates_of_steps(columns);
  find_percents(table, columns);
  find_precision_ratios(table, columns);
  find_setups(table, columns);
  return columns;
}

void find_decimal(TextTable& table) {
  std::size_t points = 0, commas = 0;
  bool maybe_point = false, maybe_comma = false, doubtful = false;
  const auto add = [&](char sign) {
    points += sign == '.';
    commas += sign == ',';
  };
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    const ColumnKind kind = meaning_of(table.header[c]).kind;
    const bool counted = machines_in(table.header[c]).has_value();
    const bool names = kind == ColumnKind::kNetwork || kind == ColumnKind::kChip ||
                       kind == ColumnKind::kPrecision || kind == ColumnKind::kOther;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const std::string& cell = cell_of(table, r, c);
      if (names && !counted && !is_digit_at(cell, 0)) continue;
      const DecimalEvidence shown = decimal_evidence(cell);
      add(shown.sign);
      if (shown.maybe == 0) continue;
      if (is_ratio_kind(kind) && shown.small) {
        add(shown.maybe);
      } else if (kind == ColumnKind::kGpus && !counted) {
        add(shown.maybe == '.' ? ',' : '.');
      } else {
        (shown.maybe == '.' ? maybe_point : maybe_comma) = true;
        doubtful = doubtful || (shown.maybe == '.' && (counted || is_rate_kind(kind)));
      }
    }
  }
  // A file with semicolons comes without a sure sign.
  const bool semicolons = !table.decimal.sure;
  table.decimal.sign = commas > points ? ',' : '.';
  table.decimal.sure = points + commas > 0
                           ? points == 0 || commas == 0
                           : !doubtful && !(maybe_comma && (semicolons || maybe_point));
}

}  // namespace scalemark::tables
