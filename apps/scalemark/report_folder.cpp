#include "apps/scalemark/report_folder.h"

#include "apps/scalemark/commands.h"
#include "apps/scalemark/machine_probe.h"
#include "core/base/error.h"
#include "core/reporting/output/disk.h"
#include "core/reporting/output/output_folder.h"
#include "core/reporting/record/report_json.h"
#include "core/settings/machine.h"

namespace scalemark::cli {

std::optional<std::filesystem::path> report_folder(const settings::ToolValues& values) {
  const auto pattern = values.text("output");
  if (!pattern) return std::nullopt;
  const auto folder = settings::fill_placeholders(*pattern, probe_place(""));
  if (!folder) {
    throw configuration("--output " + *pattern, "{host}, {job} and {date} are filled in");
  }
  reporting::refuse_used_folder(*folder, values.on("overwrite")
                                             ? reporting::ExistingFolder::kContinue
                                             : reporting::ExistingFolder::kRefuse);
  reporting::refuse_foreign_files(*folder, "report.json");
  return *folder;
}

void write_report(const std::filesystem::path& folder, const reporting::Report& report) {
  reporting::make_folder(folder);
  reporting::write_atomically(folder / "report.json", reporting::to_json(report));
  print_note("written: " + (folder / "report.json").string());
}

}  // namespace scalemark::cli
