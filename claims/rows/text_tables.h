// Splits a text without asking what it means: the pipe tables of Markdown and CSV into cells, HTML
// into tags and characters, one at a time. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "claims/rows/cell.h"

namespace scalemark::tables {

using Cells = std::vector<std::string>;

// A larger table is skipped: it is not one that a person reads.
inline constexpr std::size_t kMostColumns = 100, kMostRows = 5000;

struct TextTable {
  std::string name;     // the heading above the table
  std::string caption;  // the paragraph above the table, or its last line
  Cells header;
  std::vector<Cells> rows;
  std::vector<std::string> places;  // one per row: "line 12"
  Decimal decimal = {};
};

// Removes blanks at both ends.
std::string trimmed(std::string_view text);

bool is_digit_at(std::string_view text, std::size_t at);

// Whether a comma between digits groups three of them: "1,234", but not "8,16".
bool groups_digits(std::string_view text, std::size_t comma);

// Returns an empty text where a row is shorter than its header.
const std::string& cell_of(const TextTable& table, std::size_t row, std::size_t column);

// Reads the cell as a number by the decimal sign of its table.
Cell number_of(const TextTable& table, std::size_t row, std::size_t column);

// Returns what a reader of Markdown and HTML sees of a cell: no markup, nothing that is struck out,
// plain signs for signs like them ("3 100", "1'571", "x", "+-", "^4"). A line end is one of <br>.
std::string plain_text(std::string_view cell);
// Whether a tag of HTML strikes out what it holds.
bool is_struck_out(std::string_view tag);

// Returns the text without a byte order mark, its lines ending in "\n".
std::string with_plain_ends(std::string_view text);

// The same, and without the marks of quotes (">"); lines of comments and of code blocks are empty.
std::string judged_text(std::string_view text);

std::vector<TextTable> pipe_tables(std::string_view text);

// Lines before the headers may be comments (#), titles, blank, or "sep=;". The separator is the one
// that most lines have alike; a tab where `tabs`.
TextTable csv_table(std::string_view text, bool tabs = false);

// Tables whose columns stand below each other, as pandas and `column -t` print them.
std::vector<TextTable> aligned_tables(std::string_view text);
// Lists such as "8 GPUs: 25 images/s, 7.6x".
std::vector<TextTable> listed_tables(std::string_view text);

// Returns the character that "&amp;", "&#215;" or "&#xD7;" at the begin of `text` means, as UTF-8,
// and the length of the entity. Every blank becomes a plain one; an unknown entity stands for
// itself.
std::pair<std::string, std::size_t> entity_at(std::string_view text);

struct Tag {
  std::string name;  // lower case; "/td" ends one
  std::string_view attributes;
  std::size_t length = 0;
};

// Returns the tag at the begin of `text`, or nothing where "<" begins no tag. A tag ends at the
// next < or >, so that every byte is read once.
std::optional<Tag> tag_at(std::string_view text);

// Returns the number of "rowspan" or "colspan", from 1 to 5,000; 1 where it is missing.
std::size_t span_of(std::string_view attributes, std::string_view name);

}  // namespace scalemark::tables
