#include "core/reporting/record/report_json.h"
#include "core/reporting/render/render.h"

namespace scalemark::reporting {

std::string render_json_lines(std::span<const Report> reports) {
  std::string text;
  for (const Report& report : reports) text += to_json_lines(report);
  return text;
}

}  // namespace scalemark::reporting
