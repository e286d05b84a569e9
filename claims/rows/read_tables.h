// Reads tables of throughputs in a text that somebody wrote: a Markdown or HTML file, or a CSV.
// Their headers show what the columns are (columns.h). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "claims/rows/table.h"

namespace scalemark::tables {

struct TablesRead {
  std::vector<Table> tables;  // tables with a column of throughputs or times, and counts of GPUs
  std::vector<Table> unread;  // such tables of which no row can be read
  std::vector<std::string> headers;  // each names a table without these columns: "Name | Licence"
  bool hidden = false;               // tables stand in comments or code blocks only
};

// Reads every pipe table of a Markdown text, then every HTML table in it; without one of these, its
// aligned tables, else its lists. A table's name is the heading above it.
TablesRead read_markdown(std::string_view text);

TablesRead read_html(std::string_view text);

// Fields are separated by commas, semicolons or tabs, by tabs only where `tabs`, and may stand in
// double quotes.
TablesRead read_csv(std::string_view text, bool tabs = false);

}  // namespace scalemark::tables
