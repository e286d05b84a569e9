#include "core/base/terminal.h"
#include "core/reporting/render/render.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/table/table.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

std::string console_sweep_text(const Report& report, const Terminal& terminal) {
  const std::size_t width = text_width(terminal);
  std::string text;
  for (const auto& sentence : summary_in_words(report)) text += list_item(sentence, width);
  for (const Section& section : sweep_sections(report)) {
    text += "\n" + section_text(section, terminal);
  }
  const std::string cost = telemetry_cost(std::span(&report, 1));
  if (!cost.empty()) text += "\n" + list_item(cost, width);
  return text;
}

}  // namespace

std::string render_console(std::span<const Report> reports, Withheld withheld,
                           const Terminal& terminal) {
  return sweeps_then_runs(
      for_people(reports, withheld),
      [&](const Report& report) { return console_sweep_text(report, terminal); },
      [&](std::span<const Report> runs) {
        return render_table(runs, TableFormat::kText, terminal);
      });
}

}  // namespace scalemark::reporting
