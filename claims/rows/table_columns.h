// Finds the meaning of a table's columns from their headers and their cells, with the units in
// them. Pure.
#pragma once

#include <string>
#include <vector>

#include "claims/rows/columns.h"
#include "claims/rows/text_tables.h"

namespace scalemark::tables {

// Returns one meaning per header. A column "Setup", or one with an unknown header, is a column of
// chips where all its cells name counts of GPUs ("8x A100", "2 nodes x 8 GPUs").
std::vector<ColumnMeaning> columns_of(const TextTable& table);

// A number in a cell may have a unit behind it.
enum class Unit {
  kNone,   // "3,100", "3,100 (fp16)"
  kRate,   // "310 img/s", "24/s"
  kTime,   // "90 min", "1:20:00"
  kTimes,  // "7.9x"
  kOther,  // "16 GB", "98 %", no number
};

Unit unit_of(const std::string& cell);

}  // namespace scalemark::tables
