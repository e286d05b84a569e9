// A text in pieces, before anyone asks what they mean: the pipe tables of Markdown and CSV as
// cells, and the tags and characters of HTML, one at a time. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalemark::tables {

using Cells = std::vector<std::string>;

// A table that a person reads has no more; larger ones are passed over.
inline constexpr std::size_t kMostColumns = 100, kMostRows = 5000;

struct TextTable {
  std::string name;     // the heading above it
  std::string caption;  // the paragraph above it, or its last line
  Cells header;
  std::vector<Cells> rows;
  std::vector<std::string> places;  // one for each row: "line 12"
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

// The character that "&amp;", "&#215;" or "&#xD7;" at the begin of `text` means, as UTF-8, and its
// length there; any blank is a plain one, and an unknown one stands for itself.
std::pair<std::string, std::size_t> entity_at(std::string_view text);

struct Tag {
  std::string name;  // in lower case; "/td" ends one
  std::string_view attributes;
  std::size_t length = 0;
};

// The tag at the begin of `text`; absent where a sign "<" is no tag. Ends at the next < or >, so
// that every byte is looked at once.
std::optional<Tag> tag_at(std::string_view text);

// The number of "rowspan" or "colspan", from 1 to 5,000; 1 where it is not there.
std::size_t span_of(std::string_view attributes, std::string_view name);

}  // namespace scalemark::tables
