// Columns of text set as a table: for a terminal, as Markdown or as CSV. Knows nothing of reports.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::reporting {

struct Column {
  std::vector<std::string> head;  // one or two lines
  bool left = false;              // text to the left; numbers to the right
  std::vector<std::string> cells;
  bool may_go = false;  // a terminal that is too narrow leaves it out
};

// It stands in a cell that has nothing to say.
inline constexpr const char* kAbsent = "-";

// Names in a cell may hold anything: in every form no line end in one breaks the table, and in
// Markdown no sign in one starts markup.
std::string set_text(const std::vector<Column>& columns);
std::string set_markdown(const std::vector<Column>& columns);
std::string set_csv(const std::vector<Column>& columns);  // RFC 4180, with a head line

// How many columns of a terminal the widest line of set_text() takes.
std::size_t table_width(const std::vector<Column>& columns);

// A cell of RFC 4180: in quotes where it must be.
std::string csv_cell(const std::string& text);

// "~1.4", "~77", "~120": a number of which not more than two digits mean anything.
std::string two_digits(double value);

// Line ends and other control characters of terminals become blanks.
std::string on_one_line(std::string_view text);

// Text that Markdown shows as it is, in a table and outside.
std::string markdown_text(std::string_view text);

// `text` in lines of at most `width`: words stay whole. The first line begins with `head`, further
// ones with `indent` blanks. Ends with a line end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent,
                    const std::string& head = "");

// "- text", wrapped.
std::string list_item(const std::string& text, std::size_t width);

}  // namespace scalemark::reporting
