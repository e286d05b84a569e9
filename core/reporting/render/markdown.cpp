#include "core/reporting/render/render.h"
#include "core/reporting/render/sweep_sections.h"
#include "core/reporting/table.h"

namespace scalemark::reporting {
namespace {

// Names may hold anything: no line end may break a table, no sign may start markup.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      result += ' ';
      continue;
    }
    if (c == '<') {
      result += "&lt;";
      continue;
    }
    if (c == '*' || c == '`' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string without_markup(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? std::string("&lt;") : std::string(1, c);
  return result;
}

std::vector<Column> plain(std::vector<Column> columns) {
  for (Column& column : columns) {
    for (std::string& cell : column.cells) cell = plain(cell);
  }
  return columns;
}

std::string environment_text(const Report& report) {
  std::string text = "\n## Where it ran\n\n";
  for (const auto& host : report.environment.hosts) {
    std::string line = host.hostname + ": " + host.cpu + ", " + std::to_string(host.cores.usable) +
                       " usable cores";
    if (!host.gpus.empty()) {
      line += ", " + std::to_string(host.gpus.size()) + " x " + host.gpus.front().name;
    }
    text += "- " + plain(line) + "\n";
  }
  text += "- " +
          plain("scalemark " + report.tool.version + " (" + report.tool.git_commit + "), " +
                report.started + ", run " + report.run_id) +
          "\n";
  return text;
}

std::string sweep_text(const Report& report) {
  std::string text = "# Sweep report\n\n";
  for (const auto& sentence : summary_in_words(report)) text += "- " + plain(sentence) + "\n";
  for (const Section& section : sweep_sections(report)) {
    text += "\n## " + plain(section.title) + "\n\n";
    if (!section.columns.empty())
      text += set_markdown(plain(section.columns)) + (section.lines.empty() ? "" : "\n");
    for (const auto& line : section.lines) text += "- " + plain(line) + "\n";
  }
  return text + environment_text(report);
}

}  // namespace

std::string render_markdown(std::span<const Report> reports) {
  return sweeps_then_runs(reports, sweep_text, [](std::span<const Report> runs) {
    return without_markup(render_table(runs, TableFormat::kMarkdown));
  });
}

}  // namespace scalemark::reporting
