// Tables in a text, as cells: the pipe tables of Markdown, and CSV. Knows nothing of what the cells
// mean. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::lint {

using Cells = std::vector<std::string>;

// A table that a person reads has no more; larger ones are passed over.
inline constexpr std::size_t kMostColumns = 100, kMostRows = 5000;

struct TextTable {
  std::string name;     // the heading above it
  std::string caption;  // the paragraph above it, or its last line
  Cells header;
  std::vector<Cells> rows;
  std::vector<std::string> places;  // of each row: "line 12"
};

// Without blanks at both ends.
std::string trimmed(std::string_view text);

bool is_digit_at(std::string_view text, std::size_t at);

// A comma between digits that groups three of them: "1,234", but not "8,16".
bool groups_digits(std::string_view text, std::size_t comma);

// Empty where a row is shorter than its header.
const std::string& cell_of(const TextTable& table, std::size_t row, std::size_t column);

std::vector<TextTable> pipe_tables(std::string_view text);

// The first line holds headers.
TextTable csv_table(std::string_view text);

}  // namespace scalemark::lint
