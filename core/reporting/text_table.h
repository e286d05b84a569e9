// Columns of text set as a table: for a terminal or as Markdown. Knows nothing of reports. Private
// to this room.
#pragma once

#include <string>
#include <vector>

namespace scalemark::reporting {

struct Column {
  std::vector<std::string> head;  // one or two lines
  bool left = false;              // text to the left; numbers to the right
  std::vector<std::string> cells;
};

std::string set_text(const std::vector<Column>& columns);
std::string set_markdown(const std::vector<Column>& columns);

// "- text" in lines of at most `width`: words stay whole, further lines stand under the text.
std::string list_item(const std::string& text, std::size_t width);

}  // namespace scalemark::reporting
