#include "core/reporting/render/render.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/table/table.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

std::string environment_text(const Report& report) {
  std::string text = "\n## Where it ran\n\n";
  for (const auto& host : report.environment.hosts) {
    std::string line = host.hostname + ": " + (host.cpu.empty() ? "unknown CPU" : host.cpu) + ", " +
                       std::to_string(host.cores.usable) + " usable cores";
    if (!host.gpus.empty()) {
      line += ", " + std::to_string(host.gpus.size()) + " x " + host.gpus.front().name;
    }
    text += "- " + markdown_text(line) + "\n";
  }
  text += "- " +
          markdown_text("scalemark " + report.tool.version + " (" + report.tool.git_commit + "), " +
                        report.started + ", run " + report.run_id) +
          "\n";
  return text;
}

std::string sweep_text(const Report& report) {
  std::string text = measures_collectives(report) ? "# Collectives\n\n" : "# Sweep report\n\n";
  if (!report.invocation.about.empty()) {
    text += markdown_text(report.invocation.about) + "\n\n";
  }
  for (const auto& sentence : summary_in_words(report))
    text += "- " + markdown_text(sentence) + "\n";
  for (const Section& section : sweep_sections(report)) text += section_markdown(section);
  for (const Section& section : machine_sections(report)) text += section_markdown(section);
  return text + environment_text(report);
}

}  // namespace

std::string render_markdown(std::span<const Report> reports) {
  return sweeps_then_runs(reports, sweep_text, [](std::span<const Report> runs) {
    std::string text = render_table(runs, TableFormat::kMarkdown);
    for (const Report& run : runs) {
      for (const Section& section : machine_sections(run)) {
        if (section.title != kFingerprintTitle) text += section_markdown(section);  // it is above
      }
    }
    return text;
  });
}

}  // namespace scalemark::reporting
