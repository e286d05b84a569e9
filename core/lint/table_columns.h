// The columns of a table mean what their headers and their cells say together. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/lint/columns.h"
#include "core/lint/text_tables.h"

namespace scalemark::lint {

// One per header. A column that calls itself "Setup" or nothing known is one of chips where all of
// its cells name counts of GPUs ("8x A100", "2 nodes x 8 GPUs").
std::vector<ColumnMeaning> columns_of(const TextTable& table);

}  // namespace scalemark::lint
