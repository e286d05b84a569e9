// The tables of an HTML text, as cells: of a page, or inside Markdown. Knows nothing of what the
// cells mean. One pass over the text, whatever it holds; of tables inside of tables only the
// innermost is read. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "claims/rows/text_tables.h"

namespace scalemark::tables {

// A cell that spans rows or headers stands in each of them; one that spans columns of numbers only
// in the first. Several rows of headers become one. A table's name is the heading above it.
std::vector<TextTable> html_tables(std::string_view text);

}  // namespace scalemark::tables
