#include "core/reporting/record/point_fields.h"
#include "core/reporting/render/csv_columns.h"
#include "core/reporting/render/render.h"

namespace scalemark::reporting {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::vector<CsvCell> row_of(const std::string& run_id, const PointRecord& point) {
  std::vector<CsvCell> cells{{"run_id", run_id}};
  CsvRow row(cells);
  fields(row, point);
  return cells;
}

std::string line_of(const std::vector<CsvCell>& row, std::string CsvCell::*part) {
  std::string line;
  for (const CsvCell& cell : row) line += (&cell == &row.front() ? "" : ",") + quoted(cell.*part);
  return line + "\r\n";
}

}  // namespace

std::string render_csv(std::span<const Report> reports) {
  std::string text = line_of(row_of("", PointRecord{}), &CsvCell::column);
  for (const Report& report : reports) {
    for (const PointRecord& point : report.points) {
      text += line_of(row_of(report.run_id, point), &CsvCell::text);
    }
  }
  return text;
}

}  // namespace scalemark::reporting
