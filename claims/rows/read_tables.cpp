#include "claims/rows/read_tables.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "claims/rows/html_tables.h"
#include "claims/rows/table_columns.h"
#include "claims/rows/text_tables.h"
#include "claims/rows/wide_tables.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

// A log's line of so many commas is no head of a table.
constexpr std::size_t kMostHeads = 1000;

// Joins a row of headers with the one above it: "DDP" over "images/s", "Speedup".
void join_heads(TextTable& table) {
  const auto measures = [](const Cells& cells) {
    return std::ranges::any_of(
        cells, [](const std::string& cell) { return is_measure(meaning_of(cell).kind); });
  };
  const auto is_number = [](const std::string& cell) { return !read_cell(cell).values.empty(); };
  if (table.rows.size() < 2 || measures(table.header) || !measures(table.rows[0]) ||
      std::ranges::any_of(table.rows[0], is_number))
    return;
  std::string above;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    if (!table.header[c].empty()) above = table.header[c];
    const std::string& own = cell_of(table, 0, c);
    table.header[c] = own.empty() ? table.header[c] : above.empty() ? own : above + " " + own;
  }
  table.rows.erase(table.rows.begin());
  table.places.erase(table.places.begin());
}

TablesRead read_all(std::vector<TextTable> tables) {
  TablesRead read;
  for (TextTable& table : tables) {
    if (table.header.size() > kMostHeads) continue;
    for (std::string& header : table.header) {
      header = plain_text(header);
      std::ranges::replace(header, '\n', ' ');
    }
    for (Cells& cells : table.rows)
      for (std::string& cell : cells) cell = plain_text(cell);
    join_heads(table);
    find_decimal(table);
    auto unfolded = long_form(table);
    // Rows of speed-ups may show the sign, too.
    if (unfolded) find_decimal(*unfolded);
    auto one = read_rows(unfolded ? *unfolded : table);
    if (!one) {
      read.headers.push_back(joined(table.header, " | "));
    } else if (one->rows.empty()) {
      read.unread.push_back(std::move(*one));
    } else {
      read.tables.push_back(std::move(*one));
    }
  }
  return read;
}

}  // namespace

TablesRead read_markdown(std::string_view text) {
  const std::string judged = judged_text(text);
  std::vector<TextTable> tables = pipe_tables(judged);
  for (TextTable& table : html_tables(judged)) tables.push_back(std::move(table));
  TablesRead read = read_all(std::move(tables));
  if (read.tables.empty() && read.unread.empty()) {
    std::vector<TextTable> others = aligned_tables(judged);
    if (others.empty()) others = listed_tables(judged);
    TablesRead loose = read_all(std::move(others));
    loose.headers.insert(loose.headers.begin(), read.headers.begin(), read.headers.end());
    read = std::move(loose);
    read.hidden = judged.find('|') == std::string::npos && text.find('|') != std::string_view::npos;
  }
  return read;
}

TablesRead read_html(std::string_view text) { return read_all(html_tables(text)); }

TablesRead read_csv(std::string_view text, bool tabs) {
  return read_all({csv_table(with_plain_ends(text), tabs)});
}

}  // namespace scalemark::tables
