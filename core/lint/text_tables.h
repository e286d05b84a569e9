// Tables in a text, as cells: the pipe tables of Markdown, and CSV. Knows nothing of what the cells
// mean. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::lint {

using Cells = std::vector<std::string>;

struct TextTable {
  std::string name;  // the heading above it
  Cells header;
  std::vector<Cells> rows;
  std::vector<std::size_t> lines;  // of each row, from 1
};

// Without blanks at both ends.
std::string trimmed(std::string_view text);

std::vector<TextTable> pipe_tables(std::string_view text);

// The first line holds headers.
TextTable csv_table(std::string_view text);

}  // namespace scalemark::lint
