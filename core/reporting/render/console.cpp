#include "core/reporting/render/render.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/table/table.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

constexpr int kWidth = 100;

std::string console_sweep_text(const Report& report) {
  std::string text;
  for (const auto& sentence : summary_in_words(report)) text += list_item(sentence, kWidth);
  for (const Section& section : sweep_sections(report)) {
    text += "\n" + section_text(section, {.columns = kWidth});
  }
  const std::string cost = telemetry_cost(std::span(&report, 1));
  if (!cost.empty()) text += "\n" + list_item(cost, kWidth);
  return text;
}

}  // namespace

std::string render_console(std::span<const Report> reports, Withheld withheld) {
  return sweeps_then_runs(for_people(reports, withheld), console_sweep_text,
                          [](std::span<const Report> runs) { return render_table(runs); });
}

}  // namespace scalemark::reporting
