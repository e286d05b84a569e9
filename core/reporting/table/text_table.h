// Columns of text set as a table: for a terminal or as Markdown. Knows nothing of reports. Private
// to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalemark::reporting {

struct Column {
  std::vector<std::string> head;  // one or two lines
  bool left = false;              // text to the left; numbers to the right
  std::vector<std::string> cells;
  bool is_markdown = false;  // the cells are Markdown: set_markdown() does not escape them
};

// Names in a cell may hold anything: in both forms no line end in one breaks the table, and in
// Markdown no sign in one starts markup.
std::string set_text(const std::vector<Column>& columns);
std::string set_markdown(const std::vector<Column>& columns);

// "~1.4", "~77", "~120": a number of which not more than two digits mean anything.
std::string two_digits(double value);

// Line ends and other control characters of terminals become blanks.
std::string on_one_line(std::string_view text);

// Text that Markdown shows as it is, in a table and outside.
std::string markdown_text(std::string_view text);

// "- text" in lines of at most `width`: words stay whole, further lines are indented.
std::string list_item(const std::string& text, std::size_t width);

}  // namespace scalemark::reporting
