#include "apps/scalemark/formats.h"

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "core/reporting/output/disk.h"

namespace scalemark::cli {

std::vector<reporting::RenderRequest> read_formats(const settings::ToolValues& values) {
  auto requests = reporting::read_render_requests(values.text("format").value_or("table"));
  for (const auto& request : requests) {
    if (!request.file.empty()) refuse_unwritable_file("--format", request.file);
  }
  return requests;
}

void write_formats(const std::vector<reporting::RenderRequest>& requests,
                   const std::function<std::string(const reporting::RenderRequest&)>& rendered) {
  for (const auto& request : requests) {
    const std::string text = rendered(request);
    if (request.file.empty()) {
      print_result(text);
    } else {
      reporting::write_atomically(request.file, text);
    }
  }
}

}  // namespace scalemark::cli
