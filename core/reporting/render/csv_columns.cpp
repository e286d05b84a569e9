#include "core/reporting/render/csv_columns.h"

namespace scalemark::reporting {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

}  // namespace

std::string csv_line(const std::vector<CsvCell>& row, std::string CsvCell::*part) {
  std::string line;
  for (const CsvCell& cell : row) line += (&cell == &row.front() ? "" : ",") + quoted(cell.*part);
  return line + "\r\n";
}

}  // namespace scalemark::reporting
