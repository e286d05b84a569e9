// Finds the tables of an HTML page, or inside Markdown, as cells. This does not know what the cells
// mean, reads the text in one pass, and of nested tables only the innermost. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "claims/rows/text_tables.h"

namespace scalemark::tables {

// A cell that spans rows or headers is repeated in each of them. A cell that spans columns of
// numbers stands only in the first. Several rows of headers become one. A table's name is the
// heading above it.
std::vector<TextTable> html_tables(std::string_view text);

}  // namespace scalemark::tables
