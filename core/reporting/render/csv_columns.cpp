#include "core/reporting/render/csv_columns.h"

#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {

std::string csv_line(const std::vector<CsvCell>& row, std::string CsvCell::*part) {
  std::string line;
  for (const CsvCell& cell : row) line += (&cell == &row.front() ? "" : ",") + csv_cell(cell.*part);
  return line + "\r\n";
}

}  // namespace scalemark::reporting
