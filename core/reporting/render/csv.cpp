#include <algorithm>
#include <iterator>

#include "core/reporting/record/collective_fields.h"
#include "core/reporting/record/point_fields.h"
#include "core/reporting/render/csv_columns.h"
#include "core/reporting/render/render.h"

namespace scalemark::reporting {

std::string render_csv(std::span<const Report> reports) {
  const auto of_collectives = std::ranges::count_if(reports, measures_collectives);
  if (of_collectives == 0) return csv_table(reports, &Report::points);
  const std::string text = csv_table(reports, &Report::collectives);
  if (of_collectives == std::ssize(reports)) return text;
  return csv_table(reports, &Report::points) + "\r\n" + text;
}

std::string render_links(std::span<const Report> reports) {
  return csv_table(reports, &Report::links);
}

}  // namespace scalemark::reporting
