// Turns tables with a column for each count of GPUs, or a row for each quantity, into tables with a
// row for each count, which the rest of lint reads. Pure.
#pragma once

#include <optional>

#include "claims/rows/text_tables.h"

namespace scalemark::tables {

// Reads "| Model | 1 GPU | 8 GPUs |" and "| Throughput | 310 | 2,400 |" below it. Returns nothing
// where the headers name fewer than two counts, where the table has a column of counts already, and
// where nothing says whether the numbers are rates, times or speed-ups: neither a header, the first
// cells of the rows, the units in the cells, nor the words above the table. A row's place names
// line and count: "line 6, 8 GPUs".
std::optional<TextTable> long_form(const TextTable& table);

}  // namespace scalemark::tables
