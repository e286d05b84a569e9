#include <algorithm>
#include <iterator>

#include "core/reporting/record/collective_fields.h"
#include "core/reporting/record/point_fields.h"
#include "core/reporting/render/csv_columns.h"
#include "core/reporting/render/render.h"

namespace scalemark::reporting {
namespace {

template <class Record>
std::vector<CsvCell> row_of(const std::string& run_id, const Record& record) {
  std::vector<CsvCell> cells{{"run_id", run_id}};
  CsvRow row(cells);
  fields(row, record);
  return cells;
}

template <class Record>
std::string table_of(std::span<const Report> reports, std::vector<Record> Report::*rows) {
  std::string text = csv_line(row_of("", Record{}), &CsvCell::column);
  for (const Report& report : reports) {
    for (const Record& record : report.*rows) {
      text += csv_line(row_of(report.run_id, record), &CsvCell::text);
    }
  }
  return text;
}

}  // namespace

std::string render_csv(std::span<const Report> reports) {
  const auto of_collectives = std::ranges::count_if(reports, measures_collectives);
  if (of_collectives == 0) return table_of(reports, &Report::points);
  const std::string text = table_of(reports, &Report::collectives);
  if (of_collectives == std::ssize(reports)) return text;
  return table_of(reports, &Report::points) + "\r\n" + text;
}

std::string render_links(std::span<const Report> reports) {
  return table_of(reports, &Report::links);
}

}  // namespace scalemark::reporting
