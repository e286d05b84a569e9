// Lays out columns of text as a table, by themselves or under a title with lines below: for a
// terminal, as Markdown or as CSV. Knows nothing of reports.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/number_words.h"
#include "core/base/terminal.h"

namespace scalemark::reporting {

struct Column {
  std::vector<std::string> head;  // one or two lines
  bool left = false;              // true for text, which is aligned left; numbers are aligned right
  std::vector<std::string> cells;
  bool may_go = false;  // a terminal that is too narrow leaves it out
};

// The text of a cell that has nothing to show.
inline constexpr const char* kAbsent = "-";

// Makes a column with a cell for each of `rows`, which may be pointers. The cell holds `text` of
// the row: what a function returns for it, or one of its members.
template <class Rows, class Text>
Column column(std::vector<std::string> head, bool left, const Rows& rows, const Text& text) {
  Column made{std::move(head), left};
  for (const auto& row : rows) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(row)>>) {
      made.cells.emplace_back(std::invoke(text, *row));
    } else {
      made.cells.emplace_back(std::invoke(text, row));
    }
  }
  return made;
}

inline std::string or_absent(const std::optional<double>& value, std::string (*text)(double)) {
  return value ? text(*value) : kAbsent;
}

// Makes a column with one number of each row; a row whose number is unset has kAbsent.
template <class Rows, class Number>
Column numbers(std::vector<std::string> head, const Rows& rows, const Number& number,
               std::string (*text)(double)) {
  return column(std::move(head), false, rows,
                [&](const auto& row) { return or_absent(std::invoke(number, row), text); });
}

// Returns "1.2 to 1.4"; "-" without an interval.
std::string interval_text(const std::optional<double>& low, const std::optional<double>& high,
                          std::string (*text)(double));
inline std::string interval_text(const auto& bounds, std::string (*text)(double)) {
  return interval_text(bounds.low, bounds.high, text);
}

// Names in a cell may contain anything. In every form no line end within one breaks the table, and
// in Markdown no character in one starts markup.
std::string set_text(const std::vector<Column>& columns);
std::string set_markdown(const std::vector<Column>& columns);
std::string set_csv(const std::vector<Column>& columns);  // RFC 4180, with a head line

// Returns how many columns of a terminal the widest line of set_text() takes.
std::size_t table_width(const std::vector<Column>& columns);

// Returns a cell of RFC 4180, in quotes where necessary.
std::string csv_cell(const std::string& text);

// Returns text that Markdown shows as it is, in a table and elsewhere.
std::string markdown_text(std::string_view text);

// A titled table with lines below: made once as data, then laid out for a terminal or as Markdown.
struct Section {
  std::string title;               // empty: none is shown
  std::vector<Column> columns;     // empty: only lines
  std::vector<std::string> lines;  // below the table
};

// Lines are at most terminal.columns wide. On a terminal, a table that is too wide loses columns
// that may be left out, the first one first. If it is still too wide, each row becomes a line, "x:
// old 100, new 95", without empty cells. It ends with a line end.
std::string section_text(const Section& section, const Terminal& terminal);

// Begins with an empty line.
std::string section_markdown(const Section& section);

}  // namespace scalemark::reporting
