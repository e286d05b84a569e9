#include "core/live/screen_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/characters.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "report/say/table/text_table.h"

namespace scalemark::live {
namespace {

using reporting::Column;
using reporting::kAbsent;

constexpr int kStays = 1000;  // a column that is never left out

// A column, and how much it matters: the least goes first where the terminal is too narrow.
struct Weighed {
  Column column;
  int weight = kStays;
  int place = 0;  // the column stands behind those of lower places
};

template <class T, class Text>
std::string known(const std::optional<T>& value, Text text) {
  return value ? text(*value) : kAbsent;
}

std::string bytes_text(double bytes) { return bytes < 0.5 ? "0" : size_text(std::round(bytes)); }

std::string share_text(double share) { return percent(share, 0); }

std::string cpus_text(double cpus) { return cpus < 0.05 ? "0" : with_decimals(cpus, 1); }

std::string count_text(double per_second) {
  return per_second < 0.05 ? "0" : three_digits(per_second);
}

std::string text_of(monitoring::NumberForm form, double value) {
  constexpr std::string (*kTexts[])(double) = {
      // The texts are in the order of the enumeration.
      grouped,
      count_text,
      share_text,
      bytes_text,
      cpus_text,
      [](double watts) { return with_decimals(watts, 0) + " W"; },
      [](double clock) { return grouped(clock) + " MHz"; },
      [](double degrees) { return with_decimals(degrees, 0) + " \u00b0C"; }};
  return kTexts[static_cast<std::size_t>(form)](value);
}

bool says_nothing(const Column& column) {
  return std::ranges::all_of(column.cells, [](const std::string& cell) {
    return cell.empty() || cell == kAbsent || cell == "0" || cell == "0 %";
  });
}

// Whether no row has a value: the machine has no such counter.
bool is_absent(const Column& column) {
  return std::ranges::all_of(column.cells, [](const auto& cell) { return cell == kAbsent; });
}

std::vector<Column> columns_of(const std::vector<Weighed>& weighed) {
  std::vector<Column> columns;
  for (const Weighed& one : weighed) columns.push_back(one.column);
  return columns;
}

std::vector<Column> fitted(std::vector<Weighed> weighed, std::size_t width) {
  for (Weighed& one : weighed) {
    if (one.weight < kStays && says_nothing(one.column)) one.weight -= kStays;
  }
  while (reporting::table_width(columns_of(weighed)) > width) {
    const auto least = std::ranges::min_element(weighed, {}, &Weighed::weight);
    if (least == weighed.end() || least->weight >= kStays) break;
    weighed.erase(least);
  }
  return columns_of(weighed);
}

std::vector<std::string> clipped_lines(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(text)) lines.push_back(clipped(line, width));
  return lines;
}

template <class Cell>
Column column(std::vector<std::string> head, const std::vector<std::size_t>& rows, Cell cell,
              bool left = false) {
  Column made{.head = std::move(head), .left = left};
  for (const std::size_t row : rows) made.cells.push_back(cell(row));
  return made;
}

std::size_t width_in(const Terminal& terminal) {
  constexpr std::size_t kAnyWidth = 100'000;
  return terminal.is_terminal ? static_cast<std::size_t>(terminal.columns) : kAnyWidth;
}

template <class Word>
std::size_t different(const std::vector<RankStatus>& ranks, Word RankStatus::*word) {
  std::set<std::string_view> words;
  for (const RankStatus& rank : ranks) words.insert(rank.*word);
  return words.size();
}

// Adds a column for each of a machine's `numbers` that has one. `find` gives a row's number, or
// nothing.
template <class Numbers, class Find>
void add_numbers(std::vector<Weighed>& columns, const Numbers& numbers,
                 const std::vector<std::size_t>& rows, Find find) {
  for (const auto& one : numbers) {
    const auto& [above, below, place, weight, form] = one.is.column;
    if (weight == monitoring::kPageOnly) continue;
    const auto cell = [&](std::size_t i) {
      const std::optional<double> value = find(i, one);
      return value ? text_of(one.is.column.form, *value) : kAbsent;
    };
    columns.push_back({column({above, below}, rows, cell), weight, place});
  }
}

void add_gpu_columns(const Status& status, const std::vector<std::size_t>& rows,
                     std::vector<Weighed>& columns) {
  if (std::ranges::none_of(status.ranks, [](const auto& rank) { return rank.gpu.has_value(); }))
    return;
  add_numbers(columns, kGpuNumbers, rows, [&](std::size_t i, const auto& one) {
    const auto& gpu = status.ranks[i].gpu;
    return gpu ? (*gpu).*one.value : std::nullopt;
  });
  const auto reasons = [&](std::size_t i) {
    const auto& gpu = status.ranks[i].gpu;
    return gpu && !gpu->held_down_by.empty() ? joined(gpu->held_down_by, ", ") : kAbsent;
  };
  columns.push_back({column({"held", "down by"}, rows, reasons), 50});
}

void add_rank_rates(const Status& status, const RunNow& now, const std::vector<std::size_t>& rows,
                    std::vector<Weighed>& columns) {
  const auto of_rates = [&](std::vector<std::string> head, int weight,
                            std::optional<double> RankNow::*value, auto text) {
    const auto cell = [&](std::size_t i) { return known(now.ranks[i].*value, text); };
    columns.push_back({column(std::move(head), rows, cell), weight});
  };
  const auto step = [&](std::size_t i) {
    return known(status.ranks[i].step,
                 [](std::int64_t number) { return grouped(static_cast<double>(number)); });
  };
  columns.push_back({column({"step"}, rows, step), 80});
  if (std::ranges::any_of(status.ranks, [](const auto& rank) { return rank.samples > 0; }))
    of_rates({status.sample_unit, "per s"}, kStays, &RankNow::samples_per_s, three_digits);
  of_rates({"wait", "data"}, 72, &RankNow::data_wait_share, share_text);
  of_rates({"wait", "peers"}, 73, &RankNow::peer_wait_share, share_text);
  of_rates({"wait", "network"}, 70, &RankNow::network_wait_share, share_text);
  of_rates({"last", "step"}, 45, &RankNow::last_step_age_s, age_text);
  const auto memory = [&](std::size_t i) {
    return bytes_text(static_cast<double>(status.ranks[i].resident_bytes));
  };
  columns.push_back({column({"memory"}, rows, memory), 20});
}

// Host and phase stand only where ranks differ in them, and marks only where a rank has one.
std::vector<Weighed> rank_columns(const Status& status, const RunNow& now,
                                  const std::vector<std::size_t>& rows) {
  std::vector<Weighed> columns;
  if (std::ranges::any_of(now.ranks, [](const auto& rank) { return !rank.mark.empty(); })) {
    columns.push_back({column({""}, rows, [&](std::size_t i) {
      return std::string(now.ranks[i].mark.empty() ? "" : "!");
    })});
  }
  columns.push_back({column({"rank"}, rows,
                            [&](std::size_t i) { return std::to_string(status.ranks[i].rank); })});
  const auto text = [&](const char* head, int weight, std::string RankStatus::*word) {
    const auto cell = [&](std::size_t i) { return clipped(status.ranks[i].*word, 24); };
    columns.push_back({column({head}, rows, cell, true), weight});
  };
  if (different(status.ranks, &RankStatus::host) > 1) text("host", 48, &RankStatus::host);
  const bool same = different(status.ranks, &RankStatus::phase) == 1;
  if (!same || status.ranks.front().phase != status.phase) text("phase", 40, &RankStatus::phase);
  add_rank_rates(status, now, rows, columns);
  add_gpu_columns(status, rows, columns);
  // A run that has ended has no rates any more.
  if (status.state != kRunning)
    std::erase_if(columns, [](const Weighed& one) { return is_absent(one.column); });
  return columns;
}

// The reasons beside `table`, in what the other columns leave of the width.
void add_reasons(std::vector<Column>& table, Column reasons, std::size_t width) {
  const std::size_t used = reporting::table_width(table) + 2;
  const std::size_t left = width > used ? width - used : 0;
  for (std::string& cell : reasons.cells) {
    const std::string text = with_blanks(cell);
    const std::string cut = shortened(text, left);
    cell = cut == " ..." ? clipped(text, left) : cut;
  }
  reasons.head = {clipped("what is wrong", left)};
  table.push_back(std::move(reasons));
}

// Troubles weigh more than traffic; what a machine does not have weighs nothing.
std::vector<Weighed> node_columns(const Status& status, const RunNow& now,
                                  const std::vector<std::size_t>& rows) {
  std::vector<Weighed> columns;
  const auto host = [&](std::size_t i) { return clipped(status.nodes[i].host, 24); };
  columns.push_back({column({"machine"}, rows, host, true)});
  columns.push_back({column({"CPUs", "busy"}, rows, [&](std::size_t i) {
    return known(now.nodes[i].busy_cpus, cpus_text) + " of " + std::to_string(status.nodes[i].cpus);
  })});
  const auto others = [&](std::size_t i) { return known(now.nodes[i].other_cpus, cpus_text); };
  columns.push_back({column({"CPUs", "others"}, rows, others), 97});
  add_numbers(columns, kNodeRates, rows,
              [&](std::size_t i, const NodeRate& one) { return now.nodes[i].*one.value; });
  add_numbers(columns, kNodeNumbers, rows, [&](std::size_t i, const auto& one) {
    // The rate of a counter has a column already.
    const bool is_rate = one.is.kind == monitoring::SourceKind::kCounter;
    return is_rate ? std::nullopt : status.nodes[i].*one.value;
  });
  std::erase_if(columns, [](const Weighed& one) { return is_absent(one.column); });
  std::ranges::stable_sort(columns, {}, &Weighed::place);
  return columns;
}

void dim_head(std::vector<std::string>& lines, const Terminal& terminal) {
  const auto head = std::min<std::size_t>(lines.size(), kTableHead);
  for (std::size_t i = 0; i < head; ++i) lines[i] = inked(terminal, Ink::kDim, lines[i]);
}

}  // namespace

std::vector<std::string> rank_table(const Status& status, const RunNow& now,
                                    const std::vector<std::size_t>& rows,
                                    const Terminal& terminal) {
  constexpr std::size_t kReason = 28;  // characters that most reasons have
  const Column reasons = column(
      {""}, rows, [&](std::size_t i) { return now.ranks[i].reason; }, true);
  std::size_t longest = 0;
  for (const std::string& reason : reasons.cells) longest = std::max(longest, reason.size());
  const std::size_t width = width_in(terminal);
  const std::size_t kept = longest == 0 ? 0 : std::min(longest, kReason) + 2;
  std::vector<Column> table =
      fitted(rank_columns(status, now, rows), width - std::min(width, kept));
  if (longest > 0) add_reasons(table, reasons, width);
  std::vector<std::string> lines = clipped_lines(reporting::set_text(table), width);
  dim_head(lines, terminal);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (now.ranks[rows[i]].mark.empty()) continue;
    std::string& line = lines[i + kTableHead];
    line = inked(terminal, Ink::kRed, line);
  }
  return lines;
}

std::vector<std::string> node_table(const Status& status, const RunNow& now,
                                    const std::vector<std::size_t>& rows,
                                    const Terminal& terminal) {
  const std::size_t width = width_in(terminal);
  const auto columns = fitted(node_columns(status, now, rows), width);
  std::vector<std::string> lines = clipped_lines(reporting::set_text(columns), width);
  dim_head(lines, terminal);
  return lines;
}

}  // namespace scalemark::live
